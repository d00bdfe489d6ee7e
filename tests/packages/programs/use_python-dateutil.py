import datetime
from dateutil import easter, parser, relativedelta, rrule, tz

default = datetime.datetime(2024, 1, 1)
for text in (
    "Thu Sep 25 10:36:28 2003",
    "10h36m28.5s",
    "2003-09-25T10:49:41.5-03:00",
    "25 Sep 03",
    "10.11.2012",
    "July 4th, 1976 5:30 pm",
):
    print(parser.parse(text, default=default))
r = relativedelta.relativedelta(datetime.date(2024, 3, 1), datetime.date(2020, 2, 29))
print(
    r,
    datetime.date(2024, 1, 31) + relativedelta.relativedelta(months=1),
    default + relativedelta.relativedelta(weekday=relativedelta.FR(-1), day=31),
)
print(
    list(rrule.rrule(rrule.MONTHLY, count=4, byweekday=rrule.FR(1), dtstart=default)),
    rrule.rrulestr("FREQ=WEEKLY;COUNT=3;BYDAY=TU,TH", dtstart=default)[2],
)
print(
    easter.easter(2024),
    tz.tzoffset("X", 3600),
    tz.UTC,
    parser.isoparse("2024-W05-2"),
    default.replace(tzinfo=tz.tzoffset(None, -7200)).isoformat(),
)
s = rrule.rruleset()
s.rrule(rrule.rrule(rrule.DAILY, count=5, dtstart=default))
s.exdate(datetime.datetime(2024, 1, 3))
print([d.day for d in s], tz.tzstr("EST5EDT").utcoffset(datetime.datetime(2024, 7, 1)))
try:
    parser.parse("no date")
except parser.ParserError as error:
    print(error)
