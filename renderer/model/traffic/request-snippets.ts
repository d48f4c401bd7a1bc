import type { ExchangeDetail } from '../../../shared/traffic/exchange.ts'
import { panelPath, selectRepeatableHeaders, urlOf } from './repeatable-headers.ts'

/** An exchange and the text of its request's body: null if it has none, or it is not text. */
export interface SnippetSource {
  readonly detail: ExchangeDetail
  readonly body: string | null
}

/** What a terminal acts on when it is pasted: C0 but line feed (a tab completes a name), DEL and C1. */
const TERMINAL_CONTROL = /[\0-\t\v-\x1f\x7f-\x9f]/u

/** Bash up to 4 expands `!` in the second and later lines of a quoted text. */
const HISTORY_IN_LATER_LINE = /\n[^]*!/

/**
 * A text as one word of a shell, also where it is pasted into an interactive one. Text with controls is written as `$'…'` (bash, zsh, ksh)
 * without them: the terminal would act on a control before the shell reads the quotes around it.
 */
export function quoteShellWord(text: string): string {
  if (!TERMINAL_CONTROL.test(text) && !HISTORY_IN_LATER_LINE.test(text)) return `'${text.replaceAll("'", "'\\''")}'`
  return `$'${text.replace(/[\0-\x1f\x7f-\x9f!'\\]/gu, shellEscape)}'`
}

/** Bytes in octal: unlike `\x`, three digits end the escape in every shell. */
function shellEscape(char: string): string {
  if (char === '\n') return String.raw`\n`
  if (char === '\t') return String.raw`\t`
  if (char === "'" || char === '\\') return `\\${char}`
  return Array.from(new TextEncoder().encode(char), (byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('')
}

/** The same with `$BRIDGE_TOKEN` in it, which the shell replaces. */
const shellToken = (before: string, after: string): string =>
  `${before === '' ? '' : quoteShellWord(before)}"$BRIDGE_TOKEN"${after === '' ? '' : quoteShellWord(after)}`

/** Sent as a file, because it cannot be written down. */
const isBinary = ({ detail, body }: SnippetSource): boolean =>
  detail.request.kept > 0 && (body === null || body.includes('\0'))

/** What is missing of the request's body; undefined if nothing is. */
function gap({ request }: ExchangeDetail): string | undefined {
  if (request.missing === null) return undefined
  return `only ${request.kept} of ${request.total ?? 'an unknown number of'} bytes of the body were kept`
}

/** A command line that sends the request again. The token is `$BRIDGE_TOKEN`, which has to be set where it is run. */
export function toCurlCommand(copied: SnippetSource): string {
  const { row, requestHeaders } = copied.detail
  const url = urlOf(row)
  const missing = gap(copied.detail)
  const { body } = copied
  const data = isBinary(copied)
    ? ['--data-binary @body.bin']
    : body === null || body === ''
      ? []
      : [`--data-raw ${quoteShellWord(body)}`]
  const parts = [
    // Brackets and braces in an address would be expanded.
    `curl ${/[[\]{}]/.test(url) ? '-g ' : ''}${row.method === 'GET' && data.length === 0 ? '' : `-X ${quoteShellWord(row.method)} `}${quoteShellWord(url)}`,
    ...selectRepeatableHeaders(requestHeaders).map(({ name, value, token }) =>
      token === null
        ? `-H ${quoteShellWord(`${name}: ${value}`)}`
        : `-H ${shellToken(`${name}: ${token[0]}`, token[1])}`,
    ),
    ...data,
  ]
  return `${missing === undefined ? '' : `# ${missing}\n`}${parts.join(' \\\n  ')}`
}

/** What may not stand in a source as it is: a terminal acts on it, or it ends a line. `JSON.stringify` leaves these. */
const UNSAFE_IN_SOURCE = /[\0-\t\v-\x1f\x7f-\x9f\u2028\u2029]/gu

const escapeForSource = (source: string): string =>
  source.replace(UNSAFE_IN_SOURCE, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** A text as a string of JavaScript. */
const stringLiteral = (text: string): string => escapeForSource(JSON.stringify(text))

/** JSON as an expression of JavaScript, if that is the same text again; otherwise a string. */
function bodyExpression(body: string): string {
  try {
    const same = JSON.stringify(JSON.parse(body)) === body.trim()
    // As a literal, this name would set a prototype.
    if (same && !body.includes('__proto__') && /^[[{]/.test(body.trim()))
      return `JSON.stringify(${escapeForSource(body.trim())})`
  } catch {
    // Not JSON.
  }
  return stringLiteral(body)
}

/** A call of `fetch` for Node, with the token from the environment. */
export function toFetchCall(copied: SnippetSource): string {
  const { row, requestHeaders } = copied.detail
  const headers = selectRepeatableHeaders(requestHeaders).map(({ name, value, token }) => {
    const said =
      token === null
        ? stringLiteral(value)
        : `\`${template(token[0])}\${process.env.BRIDGE_TOKEN}${template(token[1])}\``
    return `    ${stringLiteral(name)}: ${said},`
  })
  const lines = [
    ...comment(copied),
    `await fetch(${stringLiteral(urlOf(row))}, {`,
    `  method: ${stringLiteral(row.method)},`,
    ...(headers.length > 0 ? ['  headers: {', ...headers, '  },'] : []),
    ...bodyLine(copied),
    '})',
  ]
  return lines.join('\n')
}

/** A call of the panel's helper (spec §1), which needs no token. */
export function toHostApiCall(copied: SnippetSource): string {
  const { row } = copied.detail
  const path = stringLiteral(panelPath(row))
  const body = bodyLine(copied)
  if (row.method === 'GET' && body.length === 0) return `await host.api(${path})`
  const lines = [
    ...comment(copied),
    `await host.api(${path}, {`,
    `  method: ${stringLiteral(row.method)},`,
    ...(body.length > 0 ? [`  headers: { 'Content-Type': 'application/json' },`, ...body] : []),
    '})',
  ]
  return lines.join('\n')
}

const template = (text: string): string => escapeForSource(text.replace(/[\\`$]/g, String.raw`\$&`))

const comment = (copied: SnippetSource): string[] => {
  const missing = gap(copied.detail)
  return missing === undefined ? [] : [`// ${missing}`]
}

function bodyLine(copied: SnippetSource): string[] {
  if (isBinary(copied)) return ["  body: await (await import('node:fs/promises')).readFile('body.bin'),"]
  return copied.body === null || copied.body === '' ? [] : [`  body: ${bodyExpression(copied.body)},`]
}
