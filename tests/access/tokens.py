"""Bearer tokens as Entra ID would sign them, with the standard library alone."""

import base64
import hashlib
import json
import secrets
import time

ISSUER, AUDIENCE = "https://issuer.example/", "https://cosmos.azure.com"
SHA256_PREFIX = bytes.fromhex("3031300d060960864801650304020105000420")


def encoded(data: bytes | dict) -> str:
    if isinstance(data, dict):
        data = json.dumps(data).encode()
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def is_prime(number: int) -> bool:
    if any(number % small == 0 for small in (3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37)):
        return False
    odd, twos = number - 1, 0
    while odd % 2 == 0:
        odd, twos = odd // 2, twos + 1
    for _ in range(20):
        value = pow(secrets.randbelow(number - 3) + 2, odd, number)
        if value in (1, number - 1):
            continue
        for _ in range(twos - 1):
            value = value * value % number
            if value == number - 1:
                break
        else:
            return False
    return True


def prime(bits: int) -> int:
    while True:
        number = secrets.randbits(bits) | 3 << (bits - 2) | 1
        if (number - 1) % 65537 and is_prime(number):
            return number


class Signer:
    """An RSA key of 2048 bits that signs RS256."""

    def __init__(self, key_id: str):
        p, q = prime(1024), prime(1024)
        self.id, self.n, self.e = key_id, p * q, 65537
        self.d = pow(self.e, -1, (p - 1) * (q - 1))

    def jwk(self) -> dict:
        return {"kty": "RSA", "use": "sig", "kid": self.id, "n": encoded(self.n.to_bytes(256, "big")),
                "e": encoded(self.e.to_bytes(3, "big"))}

    def sign(self, text: str) -> bytes:
        digest = SHA256_PREFIX + hashlib.sha256(text.encode()).digest()
        padded = b"\0\1" + b"\xff" * (256 - 3 - len(digest)) + b"\0" + digest
        return pow(int.from_bytes(padded, "big"), self.d, self.n).to_bytes(256, "big")

    def token(self, principal: str, life: float = 3600, **claims) -> str:
        now = int(time.time())
        body = {"iss": ISSUER, "aud": AUDIENCE, "oid": principal, "nbf": now - 5, "exp": int(now + life)} | claims
        text = encoded({"alg": "RS256", "typ": "JWT", "kid": self.id}) + "." + encoded(body)
        return text + "." + encoded(self.sign(text))


def unsigned(principal: str) -> str:
    claims = {"iss": ISSUER, "aud": AUDIENCE, "oid": principal, "exp": int(time.time()) + 3600}
    return encoded({"alg": "none", "typ": "JWT"}) + "." + encoded(claims) + "."
