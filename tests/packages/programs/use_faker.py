from faker import Faker
from faker.providers import BaseProvider

for locale in "en_US", "de_DE", "ja_JP":
    f = Faker(locale)
    f.seed_instance(4321)
    print(f.name(), "|", f.address().replace("\n", ", "), "|", f.company(), "|", f.phone_number(), "|", f.job())
f = Faker()
Faker.seed(0)
print(
    f.sentence(),
    f.pyint(),
    f.uuid4(),
    f.ipv4(),
    f.email(),
    f.color_name(),
    f.isbn13(),
    f.credit_card_number(),
    f.pystr_format("##-??"),
    f.random_choices([1, 2, 3], 4),
)
print(
    f.bothify("??-##"),
    [f.unique.random_int(1, 5) for _ in range(5)],
    f.date_between("-0d", "+0d") is not None,
    f.user_agent()[:11],
    f.md5(),
    f.hex_color(),
)


class Mine(BaseProvider):
    def twice(self):
        return self.random_element(("a", "b")) * 2


f.add_provider(Mine)
print([f.twice() for _ in range(4)], f.parse("{{last_name}} {{random_digit}}"))
try:
    f.no_such_thing()
except AttributeError as error:
    print(type(error).__name__)
