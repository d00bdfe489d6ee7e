import datetime
import itertools
from croniter import CroniterBadCronError, CroniterBadDateError, croniter

base = datetime.datetime(2024, 2, 28, 23, 58, 30)
for text in (
    "*/5 * * * *",
    "0 0 29 2 *",
    "30 4 1,15 * 5",
    "0 9-17/2 * jan,mar mon-fri",
    "@daily",
    "0 0 L * *",
    "0 12 * * sat#2",
    "* * * * * */15",
):
    it = croniter(text, base)
    print(
        text,
        it.get_next(datetime.datetime),
        it.get_next(datetime.datetime),
        it.get_prev(datetime.datetime),
        croniter.expand(text)[0][:2],
    )
print(
    croniter.is_valid("61 * * * *"),
    croniter.match("0 0 * * *", datetime.datetime(2024, 1, 1)),
    croniter("0 0 1 * *", base).get_current(datetime.datetime),
    [d.day for d in itertools.islice(croniter("0 0 * * 0", base).all_next(datetime.datetime), 3)],
)
from croniter import croniter_range

print(list(croniter_range(datetime.datetime(2024, 1, 1), datetime.datetime(2024, 1, 3), "0 12 * * *")))
for bad in "* * *", "a * * * *", "*/0 * * * *", "0 0 31 2 *":
    try:
        print(croniter(bad, base).get_next(datetime.datetime))
    except (CroniterBadCronError, CroniterBadDateError, ValueError) as error:
        print(type(error).__name__, error)
