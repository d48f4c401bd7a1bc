import { isUtf8 } from 'node:buffer'
import { execFileSync, spawn } from 'node:child_process'
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import {
  toCurlCommand,
  toFetchCall,
  toHostApiCall,
  quoteShellWord,
} from '../../../../renderer/model/traffic/request-snippets.ts'
import type { Header } from '../../../../shared/traffic/exchange.ts'
import { toHarEntry } from '../../../../shared/traffic/har.ts'
import { createExchangeDetail, createCompleteBody } from '../../../support/vue/exchanges.ts'

/** The words that a shell makes of a command line in which `curl` prints its arguments. */
function wordsOf(line: string, token = ''): string[] {
  const script = `curl() { for word in "$@"; do printf '%s\\0' "$word"; done; }\n${line}`
  const out = execFileSync('bash', ['--norc', '-c', script], { env: { BRIDGE_TOKEN: token } })
  return out.toString('utf8').split('\0').slice(0, -1)
}

describe('an exchange copied as cURL', () => {
  test('reaches curl unchanged, whatever it contains', () => {
    // A word of a command line cannot hold NUL, and neither can a text of lone surrogates.
    const unit = fc.oneof(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }), fc.constantFrom(...hostileChars))
    const text = fc.string({ unit, maxLength: 60 }).filter((entry) => !entry.includes('\0') && entry.isWellFormed())
    fc.assert(
      fc.property(text, text, (path, body) => {
        const detail = createExchangeDetail({
          row: { method: 'POST', path: `/x?q=${path}` },
          request: createCompleteBody(body.length),
        })
        const words = wordsOf(toCurlCommand({ detail, body }), 'a $token "quoted"')
        // A recorded path has one character for each byte.
        const isBytes = [...path].every((char) => char <= '\xff')
        const sentPath = isBytes ? Buffer.from(path, 'latin1').toString() : path
        expect(words).toContain(`http://127.0.0.1:42340/bridge/v1/x?q=${sentPath}`)
        expect(words).toContain('Authorization: Bearer a $token "quoted"')
        if (body === '') expect(words).not.toContain('--data-raw')
        else expect(words[words.indexOf('--data-raw') + 1]).toBe(body)
      }),
      { numRuns: 30 },
    )
  })

  test('refers to the token and never contains it', () => {
    const line = toCurlCommand({ detail: createExchangeDetail(), body: null })
    expect(line).toContain('"$BRIDGE_TOKEN"')
    expect(line).not.toContain('redacted')
    expect(line).not.toContain('Host:')
  })

  test('reports a missing part of the body', () => {
    const request = { ...createCompleteBody(10), total: 20, missing: 'limit' as const }
    expect(toCurlCommand({ detail: createExchangeDetail({ request }), body: 'x' })).toMatch(/^# only 10 of 20 bytes/)
  })

  test('quotes a single quote', () => {
    expect(quoteShellWord("it's")).toBe(String.raw`'it'\''s'`)
  })

  test('contains no control character but line feed, and no ! that an old bash would expand', () => {
    expect(quoteShellWord('{\n  "a": 1\n}')).toBe('\'{\n  "a": 1\n}\'')
    expect(quoteShellWord("a\tb\u0003c\u0085'\\")).toBe(String.raw`$'a\tb\003c\302\205\'\\'`)
    expect(quoteShellWord('a\n!!')).toBe(String.raw`$'a\n\041\041'`)
  })
})

const has = (program: string): boolean => {
  try {
    execFileSync('sh', ['-c', `command -v ${program}`])
    return true
  } catch {
    return false
  }
}

describe('a copied command sends the same bytes and ends', () => {
  interface Received {
    readonly line: string
    readonly headers: readonly string[]
    readonly body: string
  }
  /** Headers that every client sets itself. */
  const OWN_HEADER =
    /^(?:host|connection|user-agent|accept-encoding|content-length|sec-fetch-mode|accept-language|accept):/i
  const folders: string[] = []
  afterEach(async () => {
    for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true })
  })

  /** Runs a command against a server that keeps the request; Latin-1 stands for bytes. */
  async function send(
    program: string,
    args: (text: string) => string[],
    text: string,
    file?: Buffer,
  ): Promise<Received> {
    const folder = await mkdtemp(path.join(tmpdir(), 'copied-'))
    folders.push(folder)
    if (file) await writeFile(path.join(folder, 'body.bin'), file)
    let received = ''
    const server = createServer((socket) => {
      socket.on('error', () => undefined)
      socket.on('data', (piece) => {
        received += piece.toString('latin1')
        const [head = '', ...rest] = received.split('\r\n\r\n')
        if (rest.length === 0) return
        const length = Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0)
        if (rest.join('\r\n\r\n').length < length) return
        // The connection stays open, as a host keeps it.
        socket.write(`HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n${head.startsWith('HEAD') ? '' : 'hello'}`)
      })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const command = text.replaceAll('127.0.0.1:42340', `127.0.0.1:${port}`)
    const child = spawn(program, args(command), {
      cwd: folder,
      env: { PATH: process.env['PATH'], BRIDGE_TOKEN: 'secret', LC_ALL: 'C.UTF-8' },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    let stderr = ''
    child.stderr.on('data', (piece: Buffer) => (stderr += piece.toString()))
    const timer = setTimeout(() => child.kill('SIGKILL'), 20_000)
    const code = await new Promise((resolve) => child.once('close', resolve))
    clearTimeout(timer)
    server.close()
    expect(code, `${command}\n${stderr}`).toBe(0)
    const [head = '', ...rest] = received.split('\r\n\r\n')
    const [line = '', ...headers] = head.split('\r\n')
    return { line, headers: headers.filter((header) => !OWN_HEADER.test(header)), body: rest.join('\r\n\r\n') }
  }

  const type: Header = ['Content-Type', 'application/json']
  const cases: readonly [
    name: string,
    method: string,
    path: string,
    headers: readonly Header[],
    body: Buffer | null,
  ][] = [
    ['HEAD', 'HEAD', '/status', [], null],
    ['OPTIONS', 'OPTIONS', '/status', [], null],
    ['DELETE', 'DELETE', '/x', [], null],
    ['POST with an empty body', 'POST', '/x', [['Content-Length', '0']], Buffer.alloc(0)],
    ['PUT with an empty body', 'PUT', '/x', [type, ['Content-Length', '0']], Buffer.alloc(0)],
    ['an empty header', 'GET', '/x', [['X-Note', '']], null],
    [
      'repeated headers',
      'GET',
      '/x',
      [
        ['X-Twice', 'a'],
        ['X-Twice', 'b'],
      ],
      null,
    ],
    ['bytes of UTF-8 in a header', 'GET', '/x', [['X-Quote', Buffer.from(`it's "q" \\ ; é`).toString('latin1')]], null],
    ['bytes of Latin-1 in a header', 'GET', '/x', [['X-Name', `caf\xe9's!`]], null],
    ['a tab in a header', 'GET', '/x', [['X-Tab', 'a\tb']], null],
    ['a body that begins with @', 'POST', '/x', [type], Buffer.from('@body.bin')],
    ['a body without a media type', 'POST', '/x', [], Buffer.from('a=1&b=%20')],
    ['a body of control characters', 'POST', '/x', [type], Buffer.from('\u0001\u001b[2J\u007f\r\n\t!$`"\'\\é卡')],
    ['a body with a byte order mark', 'POST', '/x', [type], Buffer.from('\ufeff{"a":1}')],
    ['a binary body', 'POST', '/x', [['Content-Type', 'image/png']], Buffer.from([0, 255, 13, 10, 0x40, 200])],
    ['a long body', 'POST', '/x', [type], Buffer.from(`"${'x'.repeat(60_000)}"`)],
    ['globs and dots in an address', 'GET', '/[1-3]/{a,b}?q=[]&r={}', [], null],
    ['quotes in an address', 'GET', "/it's?q=$HOME`id`!%20*", [], null],
    ['a header that begins with a dash', 'GET', '/x', [['X-Dash', '-o /tmp/x']], null],
  ]
  const programs = {
    'cURL in bash': [toCurlCommand, 'bash', (text: string) => ['--norc', '-c', text]],
    'fetch in Node': [toFetchCall, process.execPath, (text: string) => ['--input-type=module', '-e', text]],
  } as const

  for (const [program, [format, file, args]] of Object.entries(programs)) {
    const isMissing = program.startsWith('cURL') && !(has('bash') && has('curl'))
    test.skipIf(isMissing).each(cases)(`${program}: %s`, async (_name, method, requestPath, headers, body) => {
      const detail = createExchangeDetail({
        row: { method, path: requestPath },
        request: createCompleteBody(body?.byteLength ?? 0),
        requestHeaders: [...headers],
      })
      const isText = body !== null && isUtf8(body) && !body.includes(0)
      const received = await send(
        file,
        args,
        format({ detail, body: isText ? body.toString() : null }),
        body ?? undefined,
      )
      // fetch encodes some characters of an address.
      const line = format === toFetchCall ? received.line.replaceAll(/%7[BD]/g, decodeURIComponent) : received.line
      expect(line).toBe(`${method} /bridge/v1${requestPath} HTTP/1.1`)
      expect(received.body).toBe((body ?? Buffer.alloc(0)).toString('latin1'))
      const expected = headers.filter(([name]) => name !== 'Content-Length')
      if (format === toCurlCommand)
        expect(received.headers).toEqual(expected.map(([name, value]) => `${name}:${value === '' ? '' : ` ${value}`}`))
      else expect(parseHeaders(received.headers)).toEqual(parseHeaders(expected.map((header) => header.join(': '))))
    })
  }

  /** `fetch` has lower-case names, and one line for the values of a repeated one. */
  function parseHeaders(lines: readonly string[]): Record<string, string> {
    const values: Record<string, string> = {}
    for (const line of lines) {
      const colon = line.indexOf(':')
      const name = line.slice(0, colon).toLowerCase()
      const value = line.slice(colon + 1).trim()
      values[name] = name in values ? `${values[name]}, ${value}` : value
    }
    return values
  }
})

/**
 * Characters that act on a terminal or on the line editor of a shell, and those with a meaning in
 * quotes.
 */
const hostileChars = [
  "'",
  '\\',
  '!',
  '$',
  '`',
  '"',
  '\n',
  '\t',
  ...'\r\u0001\u0003\u0004\u0015\u001a\u001b\u007f\u0085\u009b',
]

describe('an exchange pasted into an interactive shell (safety row 59)', () => {
  const folders: string[] = []
  afterEach(async () => {
    for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true })
  })

  /**
   * Pastes a text into a shell at a pseudo-terminal, in which `curl` keeps its arguments. What the
   * shell left in its folder.
   */
  async function paste(shell: readonly string[], text: string): Promise<{ words: string[]; ran: boolean }> {
    const folder = await mkdtemp(path.join(tmpdir(), 'paste-'))
    folders.push(folder)
    const curl = path.join(folder, 'curl')
    await writeFile(curl, `#!/bin/sh\nfor word in "$@"; do printf '%s\\0' "$word"; done > "${folder}/words"\n`)
    await chmod(curl, 0o755)
    const terminal = spawn('script', ['-qfec', shell.join(' '), '/dev/null'], {
      cwd: folder,
      env: {
        PATH: `${folder}:${process.env['PATH'] ?? ''}`,
        TERM: 'xterm',
        BRIDGE_TOKEN: 'secret',
        HOME: folder,
        LC_ALL: 'C.UTF-8',
      },
      stdio: ['pipe', 'pipe', 'ignore'],
    })
    let output = ''
    const shows = (expected: string): Promise<void> =>
      new Promise((resolve) => {
        const look = (): void => {
          if (output.includes(expected)) resolve()
          else terminal.stdout.once('data', look)
        }
        look()
      })
    terminal.stdin.on('error', () => {})
    terminal.stdout.on('data', (chunk: Buffer) => (output += chunk.toString('latin1')))
    // A shell that waits for the end of a quote, or that runs something else, never comes to its
    // end.
    const timer = setTimeout(() => terminal.kill('SIGKILL'), 10_000)
    const ended = new Promise((resolve) => terminal.once('close', resolve)).finally(() => clearTimeout(timer))
    // The shell reads a line before anything is pasted, and in another one says that it came to the
    // end.
    terminal.stdin.write('echo rea""dy\n')
    await Promise.race([ended, shows('ready')])
    terminal.stdin.write(`${text}\necho en""d\n`)
    await Promise.race([ended, shows('end')])
    terminal.stdin.end('exit\n')
    await ended
    const read = (name: string): Promise<string> => readFile(path.join(folder, name), 'utf8').catch(() => '')
    return { words: (await read('words')).split('\0').slice(0, -1), ran: (await read('ran')) !== '' }
  }

  const attacks = [
    '\u0003',
    '\u0004',
    '\u0015',
    '\u001a',
    '\u001b',
    '\u007f'.repeat(400),
    '\u0007',
    '\u0085',
    '\r',
    '\t\t',
  ]
  const hostile = (before: string): string => `{"a":"'"}${before}\necho x > ran\n`

  for (const shell of [
    ['bash', '--norc', '--noprofile', '-i'],
    ['zsh', '-f', '-i'],
  ]) {
    const missing = [shell[0] ?? '', 'script'].filter((program) => !has(program))
    test.skipIf(missing.length > 0)(
      `of ${shell[0]}${missing.length > 0 ? ` (SKIPPED: ${missing.join(', ')} not installed)` : ''} runs nothing of a body, header or path`,
      { timeout: 60_000 },
      async () => {
        // What the test shows is possible at all: without quoting for terminals, a command runs.
        expect((await paste(shell, `curl 'x\u0003\necho x > ran; : ''`)).ran).toBe(true)
        for (const attack of attacks) {
          const body = hostile(attack)
          const detail = createExchangeDetail({
            row: { method: 'POST', path: `/x${attack}\necho x > ran` },
            request: createCompleteBody(body.length),
            requestHeaders: [
              ['X-Note', `${attack}\necho x > ran`],
              ['Authorization', `Bearer${attack} [redacted]`],
            ],
          })
          const { words, ran } = await paste(shell, toCurlCommand({ detail, body }))
          expect(ran, JSON.stringify(attack)).toBe(false)
          expect(words[words.indexOf('--data-raw') + 1], JSON.stringify(attack)).toBe(body)
          expect(words).toContain(`Authorization: Bearer${Buffer.from(attack, 'latin1').toString()} secret`)
        }
      },
    )
  }
})

describe('an exchange copied as code', () => {
  test('sends the body unchanged with fetch, even where a literal would change it', () => {
    for (const body of ['{"a":1}', '{"n":12345678901234567890}', '{"__proto__":1}', 'plain "text"\n', '{ "a": 1 }']) {
      const detail = createExchangeDetail({
        row: { method: 'POST' },
        request: createCompleteBody(body.length),
        requestHeaders: [
          ['Authorization', 'Bearer [redacted]'],
          ['Content-Type', 'application/json'],
        ],
      })
      const call = toFetchCall({ detail, body }).replace('await fetch(', 'return [').replace(/\)$/, ']')
      const run = new Function('process', call) as (
        process: unknown,
      ) => [string, { body: string; headers: [string, string][] }]
      const [url, options] = run({ env: { BRIDGE_TOKEN: 'secret' } })
      expect(url).toBe('http://127.0.0.1:42340/bridge/v1/library/study-sets')
      expect(options.body).toBe(body)
      expect(new Headers(options.headers).get('Authorization')).toBe('Bearer secret')
    }
  })

  test('contains no character that affects a terminal, and keeps its value', () => {
    const body = `{"a":"${'\u007f'.repeat(9)}\u009b\u2028"}`
    for (const text of [body, `x${body}\u0003`]) {
      const detail = createExchangeDetail({
        row: { method: 'POST', path: '/x\u007f' },
        request: createCompleteBody(text.length),
        requestHeaders: [
          ['Authorization', 'Bearer\u007f [redacted]'],
          ['Content-Type', 'application/json'],
        ],
      })
      const calls = [toFetchCall({ detail, body: text }), toHostApiCall({ detail, body: text })]
      expect(calls.join('')).not.toMatch(/[\0-\t\v-\x1f\x7f-\x9f\u2028]/u)
      const expression = /body: (.*),\n/.exec(calls[0] ?? '')?.[1] ?? ''
      expect(new Function(`return ${expression}`)()).toBe(text)
    }
  })

  test('uses the path of a panel with host.api, and no token', () => {
    expect(toHostApiCall({ detail: createExchangeDetail(), body: null })).toBe('await host.api("/library/study-sets")')
    const recorded = createExchangeDetail({ row: { path: '/bridge/v1/library/study-sets' } })
    expect(toHostApiCall({ detail: recorded, body: null })).toBe('await host.api("/library/study-sets")')
    const detail = createExchangeDetail({
      row: { method: 'POST', path: '/notes/batch-get' },
      request: createCompleteBody(9),
    })
    expect(toHostApiCall({ detail, body: '{"a":"b"}' })).toContain('body: JSON.stringify({"a":"b"}),')
  })
})

test.each([
  [null, false],
  ['encoded' as const, true],
])('a body that was stored decoded is sent without its encoding (missing: %s)', (missing, isKept) => {
  const requestHeaders: [string, string][] = [
    ['Content-Type', 'application/json'],
    ['Content-Encoding', 'gzip'],
  ]
  const request = { ...createCompleteBody(7), missing }
  const detail = createExchangeDetail({ row: { method: 'POST' }, requestHeaders, request })
  expect(toCurlCommand({ detail, body: '{"a":1}' }).includes('Content-Encoding')).toBe(isKept)
})

test('an archive entry reports what was truncated', () => {
  const response = { ...createCompleteBody(10), total: 5_000, missing: 'limit' as const }
  const detail = createExchangeDetail({ response, row: { path: '/search?q=a%20b' } })
  const entry = toHarEntry(detail, null, new TextEncoder().encode('0123456789'))
  expect(entry).toMatchObject({
    request: { url: 'http://127.0.0.1:42340/bridge/v1/search?q=a%20b', queryString: [{ name: 'q', value: 'a b' }] },
    response: { status: 200, content: { text: '0123456789', comment: '10 of 5000 bytes kept (limit)' } },
    timings: { blocked: 1, connect: 1, send: 1, wait: 12, receive: 5 },
  })
})

test('an archive entry marks a request body that is not text', () => {
  const toPostData = (...bytes: number[]): unknown => {
    const { request } = toHarEntry(createExchangeDetail(), Uint8Array.from(bytes), null) as {
      request: { postData: object }
    }
    return request.postData
  }
  expect(toPostData(0, 1, 0xff)).toMatchObject({ text: 'AAH/', _encoding: 'base64' })
  expect(toPostData(0x41)).not.toHaveProperty('_encoding')
})

test.each([
  ['text/plain; charset=gb18030', [0xd6, 0xd0], { text: '中' }],
  ['text/plain; charset=utf-16le', [0x41, 0], { text: 'A' }],
  ['text/plain; charset=iso-2022-jp', [0x1b, 0x24, 0x42, 0x46, 0x7c, 0x1b, 0x28, 0x42], { text: '日' }],
  ['text/plain; charset=shift_jis', [0x93], { text: 'kw==', encoding: 'base64' }],
  ['text/plain; charset=no-such-label', [0xe9], { text: '6Q==', encoding: 'base64' }],
  ['application/json; charset=gb18030', [0xd6, 0xd0], { text: '1tA=', encoding: 'base64' }],
])('an archive has the text of a body in %s in UTF-8, and other bytes in base64', (mediaType, bytes, content) => {
  const response = { ...createCompleteBody(bytes.length), mediaType }
  const entry = toHarEntry(createExchangeDetail({ response }), null, Uint8Array.from(bytes))
  expect((entry['response'] as { content: object }).content).toEqual({
    size: expect.any(Number) as number,
    mimeType: mediaType,
    ...content,
  })
})
