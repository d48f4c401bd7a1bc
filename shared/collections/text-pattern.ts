/**
 * True if a pattern covers a whole text: `*` stands for any characters, `?` for one, and a
 * backslash takes the meaning from the character after it. There is no backtracking beyond the last
 * `*`, so the time is at most proportional to the product of both lengths.
 */
export function matchesTextPattern(pattern: string, text: string): boolean {
  const tokens = parsePattern(pattern)
  const chars = Array.from(text)
  let index = 0
  let tokenIndex = 0
  let starIndex = -1
  let starEnd = 0
  while (index < chars.length) {
    const token = tokens[tokenIndex]
    if (token?.kind === 'any-text') {
      starIndex = tokenIndex
      starEnd = index
      tokenIndex += 1
    } else if (token && (token.kind === 'any-char' || token.char === chars[index])) {
      index += 1
      tokenIndex += 1
    } else if (starIndex >= 0) {
      starEnd += 1
      index = starEnd
      tokenIndex = starIndex + 1
    } else return false
  }
  return tokens.slice(tokenIndex).every(({ kind }) => kind === 'any-text')
}

type PatternToken =
  { readonly kind: 'any-text' } | { readonly kind: 'any-char' } | { readonly kind: 'char'; readonly char: string }

function parsePattern(pattern: string): readonly PatternToken[] {
  const tokens: PatternToken[] = []
  const chars = Array.from(pattern)
  for (let index = 0; index < chars.length; index += 1) {
    const char = chars[index] ?? ''
    if (char === '*') tokens.push({ kind: 'any-text' })
    else if (char === '?') tokens.push({ kind: 'any-char' })
    else if (char === '\\' && index + 1 < chars.length) {
      index += 1
      tokens.push({ kind: 'char', char: chars[index] ?? '' })
    } else tokens.push({ kind: 'char', char })
  }
  return tokens
}
