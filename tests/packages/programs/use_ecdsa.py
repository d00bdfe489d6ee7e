import hashlib
from ecdsa import NIST256p, SECP256k1, SigningKey, VerifyingKey, BadSignatureError, ellipticcurve, numbertheory
from ecdsa.util import sigdecode_der, sigencode_der, string_to_number

key = SigningKey.from_secret_exponent(0xC0FFEE1234567890, curve=SECP256k1, hashfunc=hashlib.sha256)
sig = key.sign_deterministic(b"message", hashfunc=hashlib.sha256, sigencode=sigencode_der)
print(sig.hex(), key.verifying_key.to_string("compressed").hex())
print(
    key.verifying_key.verify(sig, b"message", hashfunc=hashlib.sha256, sigdecode=sigdecode_der),
    VerifyingKey.from_string(key.verifying_key.to_string(), curve=SECP256k1) == key.verifying_key,
)
try:
    key.verifying_key.verify(sig, b"other", hashfunc=hashlib.sha256, sigdecode=sigdecode_der)
except BadSignatureError as error:
    print("bad", error)
g = NIST256p.generator
print(
    (g * 5 + g * 7 == g * 12),
    hex((g * 3).x()),
    (g * NIST256p.order) == ellipticcurve.INFINITY,
    numbertheory.inverse_mod(3, 11),
    numbertheory.is_prime(2**89 - 1),
    numbertheory.square_root_mod_prime(5, 11),
    numbertheory.jacobi(2, 15),
)
print(
    key.to_pem().decode().splitlines()[0],
    SigningKey.from_pem(key.to_pem()).to_string() == key.to_string(),
    string_to_number(b"\x01\x00"),
    len(key.verifying_key.to_der()),
)
