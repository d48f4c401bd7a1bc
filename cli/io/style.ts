/** Adds colors, or nothing. */
export interface Style {
  readonly bold: (text: string) => string
  readonly dim: (text: string) => string
  readonly good: (text: string) => string
  readonly bad: (text: string) => string
}

/** Codes that begin and end a style (ECMA-48 SGR). */
const codes = { bold: [1, 22], dim: [2, 22], good: [32, 39], bad: [31, 39] } as const

export function createStyle(colored: boolean): Style {
  const style =
    ([on, off]: readonly [number, number]) =>
    (text: string): string =>
      colored ? `\u001b[${on}m${text}\u001b[${off}m` : text
  return { bold: style(codes.bold), dim: style(codes.dim), good: style(codes.good), bad: style(codes.bad) }
}
