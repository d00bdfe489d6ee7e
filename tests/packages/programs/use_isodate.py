import datetime
from isodate import (
    Duration,
    FixedOffset,
    ISO8601Error,
    date_isoformat,
    datetime_isoformat,
    duration_isoformat,
    parse_date,
    parse_datetime,
    parse_duration,
    parse_time,
    parse_tzinfo,
    strftime,
    time_isoformat,
)

for text in "2024-02-29", "20240229", "2024-W09-4", "2024-060", "2024", "2024-02":
    print(parse_date(text))
print(
    parse_time("10:20:30.5Z"),
    parse_time("1020+05:30"),
    parse_datetime("2024-02-29T23:59:59,25-03"),
    parse_tzinfo("+01:15"),
)
for text in "P1Y2M3DT4H5M6.5S", "PT36H", "-P1W", "P0.5Y":
    d = parse_duration(text)
    print(d, type(d).__name__, duration_isoformat(d))
print(
    parse_duration("P1M") + datetime.date(2024, 1, 31),
    Duration(years=1) + Duration(months=3, days=2),
    date_isoformat(datetime.date(2024, 1, 2), "%Y%m%d"),
)
print(
    strftime(datetime.datetime(2024, 1, 2, 3, 4, 5, 60, FixedOffset(1, 30, "X")), "%Y-%m-%dT%H:%M:%S.%f%Z"),
    time_isoformat(datetime.time(1, 2)),
)
for bad in "2024-13-01", "abc", "P", "2024-W60":
    try:
        print(parse_date(bad))
    except (ISO8601Error, ValueError) as error:
        print(type(error).__name__, error)
