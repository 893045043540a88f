// How numbers are written along an axis.
const significant = (v) => v.toLocaleString("en", { maximumSignificantDigits: 5, notation: Math.abs(v) >= 1e6 ? "compact" : "standard" })
const number = (v) => significant(v).replace("-", "\u2212")

const factor = (log) => significant(Number(Math.exp(log).toPrecision(3)))

const short = (v) => v.toLocaleString("en", { maximumSignificantDigits: 3, notation: v >= 1e4 ? "compact" : "standard" })

// On the scale of square roots: how many more or fewer, from how many; unless these are given, as many as make the farthest tick a part of
// them (`RowScale.whole`).
const rooted = (sign) => (far, ticks, given) => {
  const whole = given || 10 ** Math.max(2, Math.ceil(Math.log10(16 * Math.max(...ticks, far) ** 2)))
  const part = Math.abs((Math.sqrt(whole) + sign * far) ** 2 - whole)
  return far < 0 ? "" : far > 0 ? `${short(part)} from ${short(whole)}` : "0"
}

const duration = (seconds) => {
  const size = Math.abs(seconds)
  return size < 3600 ? `${number(seconds)} s` : size < 86400 ? `${number(seconds / 3600)} h` : `${number(seconds / 86400)} d`
}

// Within days the time alone, and at midnight the day.
const moment = (seconds, ticks) => {
  const date = new Date(1000 * seconds)
  if (Number.isNaN(date.getTime())) { return "" }
  const text = date.toISOString()
  return ticks.length < 2 || ticks[1] - ticks[0] >= 86400 ? text.slice(0, 10) : text.slice(11, 16) === "00:00" ? text.slice(5, 10) : text.slice(11, 16)
}

export const STYLES = {
  plain: number,
  percent: (share) => `${number(100 * share)}%`,
  factor: (log) => `\u00d7${factor(log)}`,
  // As `RowScale.read` writes them.
  fall: (log) => log < Math.log(10) ? `${number(Number((-100 * Math.expm1(-log)).toPrecision(3)))}%` : `\u00f7${factor(log)}`,
  count_rise: rooted(1),
  count_fall: rooted(-1),
  log: (value) => number(Number(Math.expm1(value).toPrecision(4))),
  log_percent: (share) => `${number(Number((100 * Math.expm1(share)).toPrecision(4)))}%`,
  moment,
  duration,
}

// A number in a style that may be told what it is of, as "count_fall 1000".
export const written = (style, tick, ticks) => {
  const [name, whole] = style.split(" ")
  return STYLES[name](tick, ticks, Number(whole))
}
