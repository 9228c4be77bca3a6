"""Issue the certificate of a run from its record and its tree."""

from .issuer import issue_certificate, with_smaller_gamma

__all__ = ["issue_certificate", "with_smaller_gamma"]
