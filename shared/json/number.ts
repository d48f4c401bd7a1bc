/** Significant digits and decimal exponent of a JSON number, so that `1.0e3` and `1000` are equal. */
function normal(raw: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(raw) ?? []
  const digits = `${whole}${fraction}`.replace(/^0+/, '')
  const trimmed = digits.replace(/0+$/, '')
  if (trimmed === '') return '0'
  return `${sign}${trimmed}e${Number(exponent) - fraction.length + (digits.length - trimmed.length)}`
}

/**
 * Whether a double holds this JSON number exactly as written. `raw` is the number's text. Fifteen significant digits always survive, so
 * short numbers need no further check.
 */
export function isExact(raw: string): boolean {
  if (raw.length <= 15 && !/[eE]/.test(raw)) return true
  const value = Number(raw)
  if (!Number.isFinite(value)) return false
  return normal(raw) === normal(String(value))
}
