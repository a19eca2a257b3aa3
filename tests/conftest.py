"""Settings of all tests: what is random is seeded, and compiled code may take its time at first use."""

from __future__ import annotations

import hypothesis

hypothesis.settings.register_profile("crownhead", derandomize=True, deadline=None)
hypothesis.settings.load_profile("crownhead")
