import datetime
import pytz

utc = datetime.datetime(2024, 3, 31, 0, 30, tzinfo=pytz.utc)
for name in "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe":
    zone = pytz.timezone(name)
    local = utc.astimezone(zone)
    print(
        name,
        local,
        zone.normalize(local + datetime.timedelta(hours=1)),
        local.tzname(),
        zone.utcoffset(datetime.datetime(2024, 7, 1)),
    )
berlin = pytz.timezone("Europe/Berlin")
for f in (
    lambda: berlin.localize(datetime.datetime(2024, 3, 31, 2, 30), is_dst=None),
    lambda: berlin.localize(datetime.datetime(2024, 10, 27, 2, 30), is_dst=None),
    lambda: pytz.timezone("No/Where"),
):
    try:
        print(f())
    except Exception as error:
        print(type(error).__name__, error)
print(
    len(pytz.common_timezones) > 400,
    pytz.country_timezones["ch"],
    pytz.FixedOffset(90),
    repr(berlin),
    pytz.country_names["nz"],
)
