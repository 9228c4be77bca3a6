// Times: parsed to ticks of the column's unit, as the model stores them, and formatted for axes.

const NANOS = {
  W: 604800000000000n, D: 86400000000000n, h: 3600000000000n, m: 60000000000n,
  s: 1000000000n, ms: 1000000n, us: 1000n, ns: 1n,
};

const MOMENT = /^(\d{4})-(\d\d)(?:-(\d\d))?(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?)?\s*(Z|UTC|[+-]\d\d:?\d\d)?$/;
const DURATION = /^(-)?(?:(\d+)\s*(?:d|days?),?)?\s*(?:(\d+):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?)?$/;

/** The ticks of a time or duration given as text; NaN if it is neither. */
function ticksOf(text, column) {
  const [, kind, many, unit] = /^(datetime|timedelta)64\[(\d*)(\w+)\]$/.exec(column.dtype) ?? [];
  const each = BigInt(many || 1);
  if (!kind) return NaN;
  if (kind === "timedelta") return NANOS[unit] ? wholeTicks(durationNanos(text), NANOS[unit] * each) : NaN;
  const stem = column.zone && text.endsWith(column.zone) ? text.slice(0, -column.zone.length).trim() : text;
  const moment = MOMENT.exec(stem);
  if (!moment || (moment[8] && !column.zone)) return NaN;
  if (unit === "Y" || unit === "M") return calendarTicks(moment, unit, Number(each));
  return NANOS[unit] ? wholeTicks(momentNanos(moment, column.zone), NANOS[unit] * each) : NaN;
}

/** An example of how to type a time. */
function timeHint(column) {
  if (column.low_text) return column.low_text;
  if (column.dtype.startsWith("timedelta")) return "2 days, 03:04:05";
  return column.zone ? `2024-05-31 12:00 (${column.zone})` : "2024-05-31 12:00";
}

/** Whole ticks, rounded down, as a float: thresholds are floats too. */
function wholeTicks(nanos, unit) {
  if (nanos === null) return NaN;
  const ticks = nanos / unit;
  return Number(nanos % unit < 0n ? ticks - 1n : ticks);
}

function durationNanos(text) {
  const found = DURATION.exec(text.trim());
  if (!found || (found[2] === undefined && found[3] === undefined)) return null;
  const [, minus, days, hours, minutes, seconds, part] = found;
  const clock = BigInt(hours ?? 0) * NANOS.h + BigInt(minutes ?? 0) * NANOS.m + BigInt(seconds ?? 0) * NANOS.s;
  const rest = BigInt((part ?? "").padEnd(9, "0"));
  const day = BigInt(days ?? 0) * NANOS.D;
  return (minus ? -day : day) + (minus && days === undefined ? -(clock + rest) : clock + rest);
}

function calendarTicks([, year, month], unit, each) {
  const ticks = unit === "Y" ? Number(year) - 1970 : (Number(year) - 1970) * 12 + Number(month) - 1;
  return Math.floor(ticks / each);
}

function momentNanos([, year, month, day, hour, minute, second, part, offset], zone) {
  const at = new Date(0);
  at.setUTCFullYear(Number(year), Number(month) - 1, Number(day ?? 1));
  at.setUTCHours(Number(hour ?? 0), Number(minute ?? 0), Number(second ?? 0));
  const right = at.getUTCMonth() === Number(month) - 1 && at.getUTCDate() === Number(day ?? 1)
    && at.getUTCHours() === Number(hour ?? 0) && at.getUTCMinutes() === Number(minute ?? 0);
  if (!right) return null;
  const away = offset ? fixedOffset(offset) : zone ? zoneOffset(zone, at.getTime()) : 0;
  return BigInt(at.getTime() - away) * 1000000n + BigInt((part ?? "").padEnd(9, "0"));
}

/** Milliseconds that "+02:00", "UTC+02:00" or "Z" are ahead of UTC; null for a named zone. */
function fixedOffset(text) {
  const found = /^(?:UTC)?([+-])(\d\d):?(\d\d)$/.exec(text);
  if (!found) return text === "Z" || text === "UTC" ? 0 : null;
  const minutes = Number(found[2]) * 60 + Number(found[3]);
  return (found[1] === "-" ? -minutes : minutes) * 60000;
}

/** How far a zone is ahead of UTC at a local time; of two possible instants, the earlier one. */
function zoneOffset(zone, local) {
  const fixed = fixedOffset(zone);
  if (fixed !== null) return fixed;
  const day = 86400000;
  const around = [aheadAt(zone, local - day), aheadAt(zone, local + day)];
  const real = around.filter((away) => aheadAt(zone, local - away) === away);
  return real.length > 0 ? Math.max(...real) : around[0];
}

function aheadAt(zone, instant) {
  const options = { timeZone: zone, hourCycle: "h23", year: "numeric", month: "numeric", day: "numeric", hour: "numeric", minute: "numeric", second: "numeric" };
  try {
    const parts = new Intl.DateTimeFormat("en-GB", options).formatToParts(new Date(instant));
    const get = (type) => Number(parts.find((part) => part.type === type).value);
    const shown = Date.UTC(get("year"), get("month") - 1, get("day"), get("hour"), get("minute"), get("second"));
    return shown - Math.floor(instant / 1000) * 1000;
  } catch {
    return 0; // the browser does not know the zone: its times are read as UTC
  }
}

function isDuration(column) {
  return column.dtype.startsWith("timedelta64");
}

/** Ticks on an axis of some width: a date, or month, day and clock if the axis is short; durations in days or hours. */
function formatTimeTick(column, ticks, width) {
  const [, times, unit] = /\[(\d*)(\w+)\]/.exec(column.dtype) ?? [];
  if (!NANOS[unit]) return formatNumber(ticks);
  const step = Number(NANOS[unit]) * Number(times || 1);
  const hours = (width * step) / 3600e9;
  if (isDuration(column)) return hours > 72 ? `${formatNumber((ticks * step) / 86400e9)} d` : `${formatNumber((ticks * step) / 3600e9)} h`;
  const instant = Math.floor((ticks * step) / 1e6);
  const ahead = column.zone ? fixedOffset(column.zone) ?? aheadAt(column.zone, instant) : 0;
  const moment = new Date(instant + ahead);
  if (Number.isNaN(moment.getTime())) return formatNumber(ticks);
  const iso = moment.toISOString();
  return hours > 72 ? iso.slice(0, 10) : iso.slice(5, 16).replace("T", " ");
}
