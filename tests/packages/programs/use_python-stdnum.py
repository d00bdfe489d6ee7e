from stdnum import ean, iban, imei, isbn, isin, issn, luhn, verhoeff, damm, bic, lei, iso7064
from stdnum.de import idnr, vat as de_vat
from stdnum.exceptions import ValidationError
from stdnum.fr import siren
from stdnum.iso7064 import mod_11_10, mod_37_2, mod_97_10
from stdnum.us import ssn
from stdnum.util import clean, get_cc_module

print(
    isbn.validate("978-9024538270"),
    isbn.format("9789024538270"),
    isbn.to_isbn10("978-9024538270"),
    isbn.isbn_type("1857982185"),
    issn.format("00249319"),
    ean.calc_check_digit("7351353"[:7]),
)
print(
    iban.validate("GR16 0110 1050 0000 1054 7023 795"),
    iban.format("GR1601101050000010547023795"),
    luhn.checksum("7894"),
    luhn.calc_check_digit("7894"),
    verhoeff.calc_check_digit("123"),
    damm.validate("572-4".replace("-", "")),
    imei.validate("35686800-004141-20"),
    imei.imei_type("35686800-004141-20"),
)
print(
    mod_97_10.calc_check_digits("99991234567890121414"),
    mod_11_10.validate("794623"),
    mod_37_2.calc_check_digit("G123489654321"),
    bic.is_valid("AGRIFRPP882"),
    isin.validate("US0378331005"),
    lei.is_valid("213800KUD8LAJWSQ9D15"),
    ssn.format("111223333"),
)
print(
    clean("123-45 6.7", " -."),
    get_cc_module("nl", "vat").__name__,
    get_cc_module("de", "vat").is_valid("136,695 976"),
    siren.is_valid("552008443"),
)
for f, text in (
    (isbn.validate, "9789024538271"),
    (iban.validate, "GR16"),
    (luhn.validate, "7895"),
    (ean.validate, "abc"),
    (ssn.validate, "666-00-0000"),
):
    try:
        print(f(text))
    except ValidationError as error:
        print(type(error).__name__, error)
