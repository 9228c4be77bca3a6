"""Issue the certificate of a run from its record and its tree."""

from .issuer import issue_certificate

__all__ = ["issue_certificate"]
