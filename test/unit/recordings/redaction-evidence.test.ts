import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { endpoints } from '../../../shared/bridge/endpoints/index.ts'
import type { RecordedLine, RedactionPolicy } from '../../../shared/recordings/recording.ts'
import { createReplay } from '../../../electron/core/recordings/replay/replay.ts'
import { buildReplayTimeline } from '../../../electron/core/recordings/replay/replay-timeline.ts'
import {
  buildExchanges,
  readAllText,
  readBodyText,
  redactExchanges,
  type BuiltExchanges,
  type ExchangeFacts,
} from '../../support/data/redacted-exchanges.ts'
import { encodeText } from '../../support/data/charset-encoder.ts'
import { decodeBodyText } from '../../../shared/traffic/body-text.ts'
import { NOTE_ID, TOPIC_ID } from './recorded-lines.ts'

const BOOK = '1d9a74869a3ef16576aa7458dceb3897'
const TITLE = 'Anatomy of the arm'
const library: ExchangeFacts = {
  path: `/study-sets/${TOPIC_ID}/tree?limit=50`,
  endpoint: 'studySets.tree',
  response: JSON.stringify({
    nodes: [
      { noteid: NOTE_ID, title: TITLE },
      { noteid: NOTE_ID, title: '颈椎' },
    ],
  }),
}

async function redactPath(path: string, policy?: RedactionPolicy): Promise<string> {
  const { exchanges } = await redactExchanges(buildExchanges([{ path }]), policy)
  return exchanges[0]?.row.path ?? ''
}

describe('what may be the bug', () => {
  it.each([
    `/documents/${BOOK}/pages/0/parts`,
    `/documents/${BOOK}/pages/99999/parts`,
    `/documents/${BOOK}/pages/-1/part`,
    `/documents/${BOOK}/pages?start=0&end=1e9&blocks=true`,
    `/study-sets/${TOPIC_ID}/tree?limit=100000000000000000000000&depth=undefined`,
    `/study-sets/${TOPIC_ID}/treee?limit=NaN`,
    `/studyset/${TOPIC_ID}/tree?limt=5&pageNo=3`,
    `/notes/batch-gett?page=2&isDeck=false`,
  ])('stays in a path: %s', async (path) => {
    expect(await redactPath(path)).toBe(path)
  })

  it('stays in bodies: numbers, flags, versions, and misspelled members', async () => {
    const body = {
      ...{ apiVersion: '2.1', pluginVersion: '1.0.0-beta.2', page: '301', colorIndex: '17', confirm: 'true' },
      ...{ noteIdss: [NOTE_ID], expectedPrefx: null, nodeTotal: -5, addon: 'app.demo.practice' },
    }
    const built = buildExchanges([{ method: 'POST', path: '/notes/batch-get', request: JSON.stringify(body) }])
    const redacted = await redactExchanges(built)
    expect(readBodyText(redacted, redacted.exchanges[0]?.requestBody)).toBe(JSON.stringify(body))
  })

  it('stays in findings: parameters, and names of routes', async () => {
    const { redaction } = await redactExchanges(buildExchanges([library]))
    const finding: RecordedLine<'findings'> = {
      id: 'unknown-route:7',
      rule: 'unknown-route',
      at: 1,
      origin: { kind: 'panel', label: null },
      resource: `GET /study-sets/${TOPIC_ID}/treee`,
      exchanges: [1],
      params: {
        ...{ method: 'GET', path: `/study-sets/${TOPIC_ID}/treee`, nearest: 'GET /study-sets/{topicid}/tree' },
        ...{ name: 'limit', value: '5000', min: '1', max: '200', revision: 'r12', members: 'confirm, addon' },
      },
    }
    expect(redaction.redactLine('findings', finding)).toEqual(finding)
  })

  it.each([
    ['text/plain; charset=gb18030', 'gb18030', (text: string) => text],
    ['text/plain; charset="Shift_JIS"', 'shift_jis', (text: string) => text],
    ['text/html', 'gb18030', (text: string) => `<meta charset="gbk">${text}`],
    ['text/plain; charset=shift_jis', 'shift_jis', (text: string) => JSON.stringify({ notes: [text] })],
  ] as const)('stays in a text of another charset: %s, %s', async (mediaType, charset, format) => {
    const policy: RedactionPolicy = { texts: 'keep', ids: 'map', pictures: 'keep' }
    // The second byte of 表 in Shift_JIS is a backslash.
    const plain = encodeText(format('表：頸椎'.repeat(2_000)), charset)
    const mapped = encodeText(format(`頸椎 ${NOTE_ID} 表`), charset)
    const contentType: [string, string] = ['Content-Type', mediaType]
    const facts = { responseType: mediaType, responseHeaders: [contentType] }
    const built = buildExchanges([
      { path: `/notes/${NOTE_ID}`, response: plain, ...facts },
      { path: '/x', method: 'POST', request: mapped, requestType: mediaType, response: mapped, ...facts },
    ])
    const redacted = await redactExchanges(built, policy)
    const [first, second] = redacted.exchanges
    expect(Buffer.from(redacted.bodies.get(first?.responseBody ?? '') ?? []).equals(plain)).toBe(true)
    expect([first?.response.mediaType, first?.responseHeaders]).toEqual([mediaType, [['Content-Type', mediaType]]])
    const text = readBodyText(redacted, second?.responseBody)
    const start = format('頸椎 X 表').split('X')
    expect([text.startsWith(start[0] ?? '?'), text.endsWith(start[1] ?? '?'), text.includes(NOTE_ID)]).toEqual([
      true,
      true,
      false,
    ])
    const { mediaType: newType } = second?.response ?? { mediaType: '' }
    expect([newType, second?.request.mediaType]).toEqual(Array(2).fill(newType))
    expect(newType).toMatch(/^text\/(?:plain|html); charset="?utf-8"?$/)
    expect(second?.responseHeaders).toEqual([['Content-Type', newType]])
    expect(decodeBodyText(Buffer.from(text), { mediaType: newType, missing: null })).toMatchObject({
      text,
      encoding: 'utf-8',
      problem: null,
    })
  })

  it('is neither the name of a panel nor a media type, charset or code that nobody knows', async () => {
    const planted = 'vertebra'
    const built = buildExchanges([
      library,
      {
        path: '/status',
        response: JSON.stringify({ error: { code: 'VERTEBRA_BROKEN', message: 'no' } }),
        row: { origin: { kind: 'panel', label: 'Card practice 2', load: 1 } },
        responseHeaders: [['Content-Type', `text/${planted}; charset=${planted}`]],
        responseType: `text/${planted}; charset=${planted}`,
      },
    ])
    const redacted = await redactExchanges(built)
    expect(redacted.exchanges[1]?.row.origin.label).toBe('Card practice 2')
    expect(readAllText(redacted).toLowerCase()).not.toContain(planted)
  })
})

it('keeps the code with which this program refused a call of a panel', async () => {
  const refusal = { error: { code: 'PANEL_WRITE_REFUSED', message: 'Writes are refused.' } }
  const redacted = await redactExchanges(
    buildExchanges([library, { path: '/notes/N-1/title', status: 403, response: JSON.stringify(refusal) }]),
  )
  const body = readBodyText(redacted, redacted.exchanges[1]?.responseBody)
  expect(JSON.parse(body)).toMatchObject({ error: { code: 'PANEL_WRITE_REFUSED' } })
})

describe('a message', () => {
  const redactMessages = async (messages: readonly string[]): Promise<string[]> => {
    const failed = messages.map((message, index): ExchangeFacts => ({
      path: `/notes/${NOTE_ID}/content/${index}`,
      status: 409,
      response: JSON.stringify({ error: { code: 'NOT_FOUND', message } }),
    }))
    // The texts stand behind the messages as well.
    const redacted = await redactExchanges(buildExchanges([...failed, library]))
    return messages.map((_, index) => {
      const body = readBodyText(redacted, redacted.exchanges[index]?.responseBody)
      return (JSON.parse(body) as { error: { message: string } }).error.message
    })
  }

  it('stays if it names no text of the library', async () => {
    const messages = [
      'page must be a whole number between 1 and 312',
      `No card ${NOTE_ID} in this study set.`,
      'Unknown member "noteIdss"; did you mean "noteIds"?',
    ]
    expect(await redactMessages(messages)).toEqual(messages)
  })

  it('loses only the texts that it quotes, cut and encoded as well', async () => {
    const [quoted = '', cut = '', encoded = '', short = ''] = await redactMessages([
      `The card "${TITLE}" is locked.`,
      `The card "${TITLE.slice(0, 11)}…" is locked.`,
      `GET /x?q=${encodeURIComponent(TITLE)} failed`,
      'No card 颈椎 here',
    ])
    expect(quoted).toMatch(/^The card ".{18}" is locked\.$/)
    expect(cut).toMatch(/^The card ".{11}…" is locked\.$/)
    expect(encoded).toMatch(/^GET \/x\?q=\S+ failed$/)
    expect(short).toMatch(/^No card .. here$/)
    for (const text of ['Anatomy', 'arm', '颈椎', '%20of']) expect(quoted + cut + encoded + short).not.toContain(text)
  })

  it('of a panel stays with its files, but not with a text of the library or the name of the user', async () => {
    const built = buildExchanges([library])
    const { redaction } = await redactExchanges(built)
    const text = `TypeError: nodes is not iterable at open (http://127.0.0.1:5173/src/cards.ts:3:4)`
    const note: RecordedLine<'console'> = {
      ...({ kind: 'error', level: 'error', what: null, original: null, caller: null, text } as const),
      ...{ seq: 1, at: 1, calls: [], rejectedCall: null, line: 3, column: 4 },
      ...{ textLength: text.length, file: '/src/cards.ts' },
    }
    const notes = [
      note,
      { ...note, text: `${text} ${TITLE} (/Users/anna/app.js:1:2)`, file: `/src/${encodeURIComponent(TITLE)}.ts` },
    ]
    await redaction.learn(
      () => built.exchanges,
      undefined,
      (part) => (part === 'console' ? (notes as never) : []),
    )
    const [first, second] = notes.map((line) => redaction.redactLine('console', line))
    expect(first).toEqual(notes[0])
    expect(second?.text).toContain(text)
    expect(JSON.stringify(second)).not.toMatch(/Anatomy|anna/)
  })
})

describe('safety 69: a redacted recording', () => {
  const text = fc.constantFrom(TITLE, '颈椎', 'q', '42', 'Größe', 'a/b', 'limit', '')
  const number = fc.constantFrom('0', '-1', '3', '99999', '1e9', 'NaN', 'undefined')
  const id = fc.constantFrom(NOTE_ID, TOPIC_ID, BOOK, '4711')
  const value = fc.oneof(text, number, id)
  const name = fc.constantFrom('limit', 'limt', 'q', 'page', 'cursor', 'withNotes', '颈椎', 'folder', 'foo')
  const query = fc
    .array(fc.tuple(name, value), { maxLength: 3 })
    .map((pairs) => pairs.map(([key, inner]) => `${encodeURIComponent(key)}=${encodeURIComponent(inner)}`).join('&'))
  const listed = fc.constantFrom(...endpoints).chain((endpoint) => {
    const names = endpoint.path.match(/\{[^}]+\}/g) ?? []
    return fc.tuple(...names.map(() => value)).map((values) => ({
      method: endpoint.method as string,
      endpoint: endpoint.id as string | null,
      path: names.reduce(
        (path, placeholder, index) => path.replace(placeholder, encodeURIComponent(values[index] || 'x')),
        endpoint.path,
      ),
    }))
  })
  const unlisted = fc
    .tuple(
      fc.constantFrom('GET', 'POST'),
      fc.array(fc.oneof(value, fc.constantFrom('notes', 'treee', 'pages')), { minLength: 1, maxLength: 4 }),
    )
    .map(([method, segments]) => ({
      method,
      endpoint: null as string | null,
      path: `/${segments.map(encodeURIComponent).join('/')}`,
    }))
  const json = fc.jsonValue({ maxDepth: 2 })
  const request = fc.oneof(
    fc.constant(null),
    fc.record({ title: value, noteIds: fc.array(id), page: value, other: json }),
  )
  const exchange = fc.tuple(fc.oneof(listed, unlisted), query, request, fc.oneof(fc.record({ title: text }), json))

  async function listServed({ exchanges, bodies }: BuiltExchanges): Promise<unknown[]> {
    const source = {
      readExchanges: () => exchanges,
      readBody: (bodyName: string) => Promise.resolve(bodies.get(bodyName) ?? Buffer.alloc(0)),
    }
    const replay = createReplay(await buildReplayTimeline(source))
    return exchanges.map(({ row, requestBody }) => {
      const bodyText = requestBody === null ? null : Buffer.from(bodies.get(requestBody) ?? []).toString()
      const served = replay.respond({ method: row.method, path: row.path, headers: [], bodyText })
      return [served.kind, served.kind === 'recorded' ? served.exchange.row.seq : null]
    })
  }

  it.each([
    { texts: 'placeholder', ids: 'keep', pictures: 'grey' },
    { texts: 'placeholder', ids: 'map', pictures: 'keep' },
    { texts: 'drop', ids: 'map', pictures: 'drop' },
  ] as const)('answers every request that it answered before ($texts, $ids)', async (policy) => {
    await fc.assert(
      fc.asyncProperty(fc.array(exchange, { minLength: 1, maxLength: 12 }), async (entries) => {
        const built = buildExchanges(
          entries.map(([{ method, endpoint, path }, search, body, response]) => ({
            ...{ method, endpoint, path: search === '' ? path : `${path}?${search}` },
            request: body === null || method === 'GET' ? null : JSON.stringify(body),
            response: JSON.stringify(response),
          })),
        )
        expect(await listServed(await redactExchanges(built, policy))).toEqual(await listServed(built))
      }),
      { numRuns: 150 },
    )
  })
})
