"""Dates, times and lengths of time in words, in the site's language and time zone, never in the machine's."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

from sitegen.catalogue import Catalogue


@dataclass(eq=False, repr=False, slots=True)
class Dates:
    """Formats moments; None is "" everywhere, for a time that nobody knows is never invented."""

    t: Catalogue
    timezone: str
    _zone: ZoneInfo = field(init=False)
    _days: dict[date, str] = field(init=False, default_factory=dict)
    """In words: each is told several times on a page, and on many pages."""

    def __post_init__(self) -> None:
        self._zone = ZoneInfo(self.timezone)

    def local(self, moment: datetime) -> datetime:
        """`moment` in the site's time zone."""
        return moment.astimezone(self._zone)

    def day(self, moment: datetime | None) -> str:
        """ "2 Jan 2026"."""
        if moment is None:
            return ""
        there = self.local(moment).date()
        if there not in self._days:
            self._days[there] = self.t("pages.date", day=there.day, month=self.month(there.month), year=there.year)
        return self._days[there]

    def month(self, number: int) -> str:
        """The short name of a month, counted from 1."""
        return self.t(f"pages.month_{number}")

    def minute(self, moment: datetime | None) -> str:
        """ "2 Jan 2026, 14:03 UTC"."""
        if moment is None:
            return ""
        zone = self.local(moment).tzname() or self.timezone
        return self.t("pages.date_time", date=self.day(moment), time=f"{self.local(moment):%H:%M}", zone=zone)

    def span(self, start: datetime | None, end: datetime | None) -> str:
        """The days from `start` to `end`: "2 Jan 2026", "2–4 Jan 2026", "30 Dec 2025 – 2 Jan 2026"."""
        first, last = self.day(start or end), self.day(end or start)
        if first == last or start is None or end is None:
            return first or last
        a, b = self.local(start), self.local(end)
        if (a.year, a.month) == (b.year, b.month):
            return self.t("pages.date_days", first=a.day, last=b.day, month=self.month(a.month), year=a.year)
        return self.t("pages.date_span", first=first, last=last)

    def length(self, start: datetime | None, end: datetime | None) -> str:
        """How long from `start` to `end`: "40 s", "12 min", "3 h 5 min", "2 days"; "" when unknown or not positive."""
        if start is None or end is None or end <= start:
            return ""
        seconds = int((end - start).total_seconds())
        minutes, hours = seconds // 60, seconds // 3600
        if minutes == 0:
            return self.t("pages.seconds", n=seconds)
        if hours == 0:
            return self.t("pages.minutes", n=minutes)
        if hours < 48:
            return self.t("pages.hours", hours=hours, minutes=minutes % 60)
        return self.t("pages.days", n=hours // 24)


def machine(moment: datetime | None) -> str:
    """`moment` for a datetime attribute: "2026-01-02T14:03:05Z", or ""."""
    return "" if moment is None else f"{moment.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"
