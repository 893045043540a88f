// How numbers are written along an axis.
const significant = (v) => v.toLocaleString("en", { maximumSignificantDigits: 5, notation: Math.abs(v) >= 1e6 ? "compact" : "standard" })
const number = (v) => significant(v).replace("-", "\u2212")

const duration = (seconds) => {
  const size = Math.abs(seconds)
  return size < 3600 ? `${number(seconds)} s` : size < 86400 ? `${number(seconds / 3600)} h` : `${number(seconds / 86400)} d`
}

const moment = (seconds) => {
  const date = new Date(1000 * seconds)
  return Number.isNaN(date.getTime()) ? "" : date.toISOString().slice(0, 10)
}

export const STYLES = {
  plain: number,
  percent: (share) => `${number(100 * share)}%`,
  factor: (log) => `\u00d7${significant(Number(Math.exp(log).toPrecision(3)))}`,
  log: (value) => number(Number(Math.expm1(value).toPrecision(4))),
  log_percent: (share) => `${number(Number((100 * Math.expm1(share)).toPrecision(4)))}%`,
  moment,
  duration,
}
