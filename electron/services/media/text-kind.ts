/**
 * A kind of text. Markup that a browser would show as a document is distinguished, because it is
 * never sent as a document.
 */
type TextKind = 'svg' | 'html' | 'xml' | 'json' | 'plain'

/**
 * Detects the kind of text at the beginning of a body; null if it is not text.
 * @param isComplete There are no further bytes.
 * @param isDeclaredText The host declares text. Without that, only Unicode encodings are accepted.
 */
export function detectTextKind(bytes: Buffer, isComplete: boolean, isDeclaredText: boolean): TextKind | null {
  const text = decodeText(bytes, isComplete, isDeclaredText)
  if (text === null) return null
  const firstElement = skipProlog(text)
  if (/^<svg(?:[\s/>]|$)/i.test(firstElement) || /^<[\w.-]{1,40}:svg(?:[\s/>]|$)/i.test(firstElement)) return 'svg'
  if (
    /^<!doctype\s+html|^<(?:html|head|body|script|iframe|style|title|meta|link|div|p|table|h[1-6]|a|img|br)(?:[\s/>]|$)/i.test(
      firstElement,
    )
  )
    return 'html'
  if (/^\s*<\?xml/i.test(text)) return 'xml'
  return /^[[{]/.test(firstElement) ? 'json' : 'plain'
}

/** Control characters that do not occur in text. */
const BINARY_CHARACTERS = /[\0-\x08\x0e-\x1a\x1c-\x1f]/

function decodeText(bytes: Buffer, isComplete: boolean, isDeclaredText: boolean): string | null {
  const encoding =
    bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : 'utf-8'
  try {
    // With `stream`, the last character may be incomplete if more bytes follow.
    const text = new TextDecoder(encoding, { fatal: true }).decode(bytes, { stream: !isComplete })
    return BINARY_CHARACTERS.test(text) ? null : text
  } catch {
    const text = bytes.toString('latin1')
    return isDeclaredText && encoding === 'utf-8' && !BINARY_CHARACTERS.test(text) ? text : null
  }
}

/**
 * Returns the text from its first element on, without declaration, comments, instructions and
 * document type.
 */
function skipProlog(text: string): string {
  let rest = text
  for (let round = 0; round < 100; round += 1) {
    rest = rest.trimStart()
    const end = rest.startsWith('<!--')
      ? findEndOf(rest, '-->')
      : rest.startsWith('<?')
        ? findEndOf(rest, '?>')
        : /^<!doctype(?!\s+html)/i.test(rest)
          ? findDoctypeEnd(rest)
          : -1
    if (end < 0) return rest
    rest = rest.slice(end)
  }
  return rest
}

const findEndOf = (text: string, mark: string): number => {
  const index = text.indexOf(mark)
  return index < 0 ? -1 : index + mark.length
}

/** A document type may contain a subset in brackets, with `>` inside. */
function findDoctypeEnd(text: string): number {
  const bracket = text.indexOf('[')
  const close = text.indexOf('>')
  if (bracket < 0 || close < bracket) return close < 0 ? -1 : close + 1
  const inner = text.indexOf(']', bracket)
  const end = text.indexOf('>', inner)
  return inner < 0 || end < 0 ? -1 : end + 1
}
