import datetime
import humanize

d = datetime.timedelta
print(
    humanize.intcomma(1234567.1),
    humanize.intword(12345678901),
    humanize.ordinal(22),
    humanize.apnumber(4),
    humanize.fractional(1.5),
    humanize.scientific(1234, precision=1),
)
print(
    humanize.naturalsize(10**9),
    humanize.naturalsize(3000, binary=True),
    humanize.naturalsize(3000, gnu=True),
    humanize.metric(1500, "V"),
)
for seconds in 1, 59, 3700, 86400 * 3, 86400 * 40, 86400 * 800:
    print(
        humanize.naturaldelta(d(seconds=seconds)),
        humanize.precisedelta(d(seconds=seconds)),
        humanize.naturaltime(d(seconds=seconds)),
    )
print(
    humanize.naturaldelta(d(milliseconds=4), minimum_unit="milliseconds"),
    humanize.precisedelta(d(days=370, seconds=5), suppress=["days"]),
    humanize.naturalday(datetime.date(2007, 6, 5)),
    humanize.clamp(0.5, floor=1.0),
    humanize.naturaltime(d(seconds=-30)),
)
