import type { ExchangeDetail, Header } from '../../../shared/traffic/exchange.ts'
import { getExchangeUrl, getHostApiPath } from '../../../shared/traffic/exchange-url.ts'

/** Recorded texts contain these masks instead of the token. */
const MASKED_TOKEN_PATTERN = /\[redacted\]|\*{3,}/

/** Clients set these headers themselves, or the headers belong to a single connection. */
const automaticHeaders = new Set([
  'host',
  'connection',
  'content-length',
  'transfer-encoding',
  'accept-encoding',
  'keep-alive',
  'user-agent',
])

/** Selects headers to copy; `token` is the value around the masked token, null without one. */
function selectRepeatableHeaders({ requestHeaders, request }: ExchangeDetail): readonly {
  readonly name: string
  readonly value: string
  readonly token: readonly [before: string, after: string] | null
}[] {
  return (
    requestHeaders
      .filter(([name]) => !automaticHeaders.has(name.toLowerCase()))
      // The body was stored decoded, and is sent so.
      .filter(([name]) => request.missing === 'encoded' || name.toLowerCase() !== 'content-encoding')
      .map(([name, value]) => {
        const match = MASKED_TOKEN_PATTERN.exec(value)
        const token = match
          ? ([value.slice(0, match.index), value.slice(match.index + match[0].length)] as const)
          : null
        return { name, value, token }
      })
  )
}

/** `body` is the text of the request body; null if there is no body or the body is not text. */
export interface SnippetSource {
  readonly detail: ExchangeDetail
  readonly body: string | null
}

/** A terminal acts on these when pasted: C0 except line feed (a tab completes), DEL and C1. */
const TERMINAL_CONTROL = /[\0-\t\v-\x1f\x7f-\x9f]/u

/** Bash up to version 4 expands `!` in the second and later lines of quoted text. */
const hasHistoryInLaterLine = (text: string): boolean =>
  text.indexOf('\n') >= 0 && text.lastIndexOf('!') > text.indexOf('\n')

/**
 * Quotes a text as one word of a shell, so that it is safe to paste into an interactive shell. Text
 * with control characters becomes `$'…'` (bash, zsh, ksh) with escapes, because a terminal acts on
 * control characters before the shell reads the quotes.
 */
export function quoteShellWord(text: string): string {
  if (!TERMINAL_CONTROL.test(text) && !hasHistoryInLaterLine(text)) return `'${text.replaceAll("'", "'\\''")}'`
  return `$'${text.replace(/[\0-\x1f\x7f-\x9f!'\\]/gu, escapeForShell)}'`
}

/** The prompt of Windows knows only double quotes, which its paths do not have. */
export function quoteFile(file: string): string {
  if (/^[\w./:\\-]+$/.test(file)) return file
  return /^(?:[A-Za-z]:|\\)/.test(file) ? `"${file}"` : quoteShellWord(file)
}

/** Node reads headers and addresses as Latin-1, so the same bytes are sent again. */
function quoteWireText(text: string): string {
  if (!/[\x80-\xff]/.test(text) || /[^\0-\xff]/.test(text)) return quoteShellWord(text)
  const bytes = Uint8Array.from(text, (char) => char.charCodeAt(0))
  try {
    return quoteShellWord(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes))
  } catch {
    return `$'${text.replace(/[\0-\x1f\x7f-\xff!'\\]/g, escapeWireChar)}'`
  }
}

const escapeWireChar = (char: string): string => `\\${char.charCodeAt(0).toString(8).padStart(3, '0')}`

/** Octal escapes end after three digits in every shell, unlike those with `\x`. */
function escapeForShell(char: string): string {
  if (char === '\n') return String.raw`\n`
  if (char === '\t') return String.raw`\t`
  if (char === "'" || char === '\\') return `\\${char}`
  return Array.from(new TextEncoder().encode(char), (byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('')
}

/** Quotes both parts and puts `$BRIDGE_TOKEN` between them for the shell to replace. */
const quoteAroundToken = (before: string, after: string): string =>
  `${before === '' ? '' : quoteWireText(before)}"$BRIDGE_TOKEN"${after === '' ? '' : quoteWireText(after)}`

const isBinary = ({ detail, body }: SnippetSource): boolean =>
  detail.request.kept > 0 && (body === null || body.includes('\0'))

/** Returns undefined if the body is complete. */
function describeMissingBytes({ request }: ExchangeDetail): string | undefined {
  if (request.missing === null) return undefined
  return `only ${request.kept} of ${request.total ?? 'an unknown number of'} bytes of the body were kept`
}

const findHeaderValue = (headers: readonly Header[], name: string): string | null =>
  headers.find(([headerName]) => headerName.toLowerCase() === name)?.[1] ?? null

/** curl adds these headers to every request, or to one with a body, unless they are removed. */
function listUnsentHeaders(headers: readonly Header[], hasBody: boolean): readonly string[] {
  const addedNames = ['Accept', ...(hasBody ? ['Content-Type', 'Expect'] : [])]
  return addedNames.filter((name) => findHeaderValue(headers, name.toLowerCase()) === null)
}

/** After `-X HEAD` curl waits for a body; `-I` does not wait, but excludes a request body. */
function getMethodOption(method: string, hasBody: boolean): string {
  if (method === 'HEAD') return hasBody ? '-X HEAD -m 10 ' : '-I '
  return method === 'GET' && !hasBody ? '' : `-X ${quoteShellWord(method)} `
}

/** curl takes a header without a value as one to remove, unless a semicolon ends it. */
const formatCurlHeader = (name: string, value: string): string =>
  quoteWireText(value === '' ? `${name};` : `${name}: ${value}`)

function getCurlData(source: SnippetSource): readonly string[] {
  const { body, detail } = source
  if (isBinary(source)) return ['--data-binary @body.bin']
  if (body !== null && body !== '') return [`--data-raw ${quoteShellWord(body)}`]
  return findHeaderValue(detail.requestHeaders, 'content-length') === '0' ? ["--data-raw ''"] : []
}

/** Builds a curl command. It needs the environment variable `BRIDGE_TOKEN`. */
export function toCurlCommand(source: SnippetSource): string {
  const { row, requestHeaders } = source.detail
  const url = getExchangeUrl(row)
  const missing = describeMissingBytes(source.detail)
  const data = getCurlData(source)
  // curl expands brackets and braces in addresses unless -g is set, and resolves dots.
  const addressOptions = `${/[[\]{}]/.test(url) ? '-g ' : ''}${/\/\.{1,2}(?:[/?]|$)/.test(url) ? '--path-as-is ' : ''}`
  const parts = [
    `curl ${addressOptions}${getMethodOption(row.method, data.length > 0)}${quoteWireText(url)}`,
    ...selectRepeatableHeaders(source.detail).map(({ name, value, token }) =>
      token === null
        ? `-H ${formatCurlHeader(name, value)}`
        : `-H ${quoteAroundToken(`${name}: ${token[0]}`, token[1])}`,
    ),
    ...listUnsentHeaders(requestHeaders, data.length > 0).map((name) => `-H '${name}:'`),
    ...data,
  ]
  return `${missing === undefined ? '' : `# ${missing}\n`}${parts.join(' \\\n  ')}`
}

/** `JSON.stringify` does not escape these, although a terminal acts on them or they end a line. */
const UNSAFE_IN_SOURCE = /[\0-\t\v-\x1f\x7f-\x9f\u2028\u2029]/gu

const escapeForSource = (source: string): string =>
  source.replace(UNSAFE_IN_SOURCE, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)

const toStringLiteral = (text: string): string => escapeForSource(JSON.stringify(text))

/** A JavaScript expression if that gives the same text again; otherwise a string. */
function toBodyExpression(body: string): string {
  try {
    const isUnchanged = JSON.stringify(JSON.parse(body)) === body.trim()
    // In an object literal, `__proto__` would set the prototype.
    if (isUnchanged && !body.includes('__proto__') && /^[[{]/.test(body.trim()))
      return `JSON.stringify(${escapeForSource(body.trim())})`
  } catch {
    // A body that is not JSON is written as a string.
  }
  return toStringLiteral(body)
}

/** Builds a call of `fetch` for Node, which reads the token from the environment. */
export function toFetchCall(source: SnippetSource): string {
  const { row, requestHeaders } = source.detail
  const headers = selectRepeatableHeaders(source.detail).map(({ name, value, token }) => {
    const valueExpression =
      token === null
        ? toStringLiteral(value)
        : `\`${escapeTemplateText(token[0])}\${process.env.BRIDGE_TOKEN}${escapeTemplateText(token[1])}\``
    return `    [${toStringLiteral(name)}, ${valueExpression}],`
  })
  const lines = [
    ...buildComment(source),
    `await fetch(${toStringLiteral(getExchangeUrl(row))}, {`,
    `  method: ${toStringLiteral(row.method)},`,
    ...(headers.length > 0 ? ['  headers: [', ...headers, '  ],'] : []),
    ...buildBodyLines(source, findHeaderValue(requestHeaders, 'content-type') === null),
    '})',
  ]
  return lines.join('\n')
}

/** Builds a call of the panel's helper `host.api` (spec §1), which needs no token. */
export function toHostApiCall(source: SnippetSource): string {
  const { row } = source.detail
  const path = toStringLiteral(getHostApiPath(row))
  const body = buildBodyLines(source)
  if (row.method === 'GET' && body.length === 0) return `await host.api(${path})`
  const lines = [
    ...buildComment(source),
    `await host.api(${path}, {`,
    `  method: ${toStringLiteral(row.method)},`,
    ...(body.length > 0 ? [`  headers: { 'Content-Type': 'application/json' },`, ...body] : []),
    '})',
  ]
  return lines.join('\n')
}

const escapeTemplateText = (text: string): string => escapeForSource(text.replace(/[\\`$]/g, String.raw`\$&`))

const buildComment = (source: SnippetSource): string[] => {
  const missing = describeMissingBytes(source.detail)
  return missing === undefined ? [] : [`// ${missing}`]
}

/** @param isUntyped True if the body has no media type: `fetch` adds one to a text. */
function buildBodyLines(source: SnippetSource, isUntyped = false): string[] {
  if (isBinary(source)) return ["  body: await (await import('node:fs/promises')).readFile('body.bin'),"]
  if (source.body === null || source.body === '') return []
  const expression = toBodyExpression(source.body)
  return [`  body: ${isUntyped ? `new TextEncoder().encode(${expression})` : expression},`]
}
