// Times: what a reader types, as ticks of the column's unit, the way the tree counts them.

const NANOS = {
  W: 604800000000000n, D: 86400000000000n, h: 3600000000000n, m: 60000000000n,
  s: 1000000000n, ms: 1000000n, us: 1000n, ns: 1n,
};

const MOMENT = /^(\d{4})-(\d\d)(?:-(\d\d))?(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?)?\s*(Z|UTC|[+-]\d\d:?\d\d)?$/;
const DURATION = /^(-)?(?:(\d+)\s*(?:d|days?),?)?\s*(?:(\d+):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?)?$/;

/** The ticks of a time or duration in words; NaN where it is none. */
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

/** How a time is to be typed. */
function timeHint(column) {
  if (column.low_text) return column.low_text;
  if (column.dtype.startsWith("timedelta")) return "2 days, 03:04:05";
  return column.zone ? `2024-05-31 12:00 (${column.zone})` : "2024-05-31 12:00";
}

/** Whole ticks, rounded down; as a float, which is what thresholds are compared with. */
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

/** Milliseconds that "+02:00", "UTC+02:00" or "Z" are ahead of UTC; null where it is a name. */
function fixedOffset(text) {
  const found = /^(?:UTC)?([+-])(\d\d):?(\d\d)$/.exec(text);
  if (!found) return text === "Z" || text === "UTC" ? 0 : null;
  const minutes = Number(found[2]) * 60 + Number(found[3]);
  return (found[1] === "-" ? -minutes : minutes) * 60000;
}

/** How far a zone is ahead when its clocks show a time; the earlier of two, where it comes twice. */
function zoneOffset(zone, local) {
  const fixed = fixedOffset(zone);
  if (fixed !== null) return fixed;
  const day = 86400000;
  const around = [aheadAt(zone, local - day), aheadAt(zone, local + day)];
  const real = around.filter((away) => aheadAt(zone, local - away) === away);
  return real.length > 0 ? Math.max(...real) : around[0];
}

function aheadAt(zone, instant) {
  const asked = { timeZone: zone, hourCycle: "h23", year: "numeric", month: "numeric", day: "numeric", hour: "numeric", minute: "numeric", second: "numeric" };
  try {
    const parts = new Intl.DateTimeFormat("en-GB", asked).formatToParts(new Date(instant));
    const get = (type) => Number(parts.find((part) => part.type === type).value);
    const shown = Date.UTC(get("year"), get("month") - 1, get("day"), get("hour"), get("minute"), get("second"));
    return shown - Math.floor(instant / 1000) * 1000;
  } catch {
    return 0; // a zone this browser does not know: its times are read as UTC
  }
}
