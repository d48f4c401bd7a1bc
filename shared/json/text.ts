const BACKSLASH = 92

/** Index of the closing quote of the string that opens at `at`; the text's last index if it never closes. */
export function stringEnd(text: string, at: number): number {
  let end = at
  for (;;) {
    end = text.indexOf('"', end + 1)
    if (end < 0) return text.length - 1
    let slashes = 0
    while (text.charCodeAt(end - 1 - slashes) === BACKSLASH) slashes += 1
    if (slashes % 2 === 0) return end
  }
}

export const isSpace = (code: number): boolean => code === 32 || code === 10 || code === 13 || code === 9
