import { deflateSync } from 'node:zlib'
import { createHash } from 'node:crypto'
import type { RecordedExchange, RecordedLine } from '../../../shared/recordings/recording.ts'
import { encodeText } from './charset-encoder.ts'
import { createExchange, NOTE_ID, TOPIC_ID } from '../../unit/recordings/recorded-lines.ts'

export const PLANTED = 500
export const TIME = 1_700_000_000_000
const PROFILES = 20
/** So many first requests have a body of JSON. */
export const PLAIN_REQUESTS = 60

/** Texts as they stand in libraries: short and long, in several scripts. */
const createText = (index: number): string => {
  const forms = [
    `planted text ${index} of a card`,
    `植入的文字${index}，颈椎与寰椎`,
    `Größe-${index}-né`,
    `Plant${index}x`,
    `🧠 emoji ${index} 🫀`,
    `<b>planted ${index}</b> & "quoted" \\ slash/`,
    `planted\nline ${index}\ttab`,
    `PLANT_${index}_UPPER`,
  ]
  return forms[index % forms.length] ?? ''
}
const createToken = (index: number): string => {
  const digits = createHash('sha256').update(String(index)).digest('base64url')
  return index % 3 === 0 ? `mnb0.${digits}` : index % 3 === 1 ? digits : `tok/${digits.slice(0, 20)}+${index}=`
}

/** Writes every unit of a text, or those that match, as an escape of JSON. */
const escapeUnits = (text: string, pattern = /[^]/g): string =>
  text.replace(pattern, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** The forms in which a text could still be read in the bytes of an entry. */
function listForms(text: string): Buffer[] {
  const texts = [
    text,
    JSON.stringify(text).slice(1, -1),
    JSON.stringify(JSON.stringify(text)).slice(3, -3),
    escapeUnits(text, /[^ -~]/g),
    escapeUnits(text),
    encodeURIComponent(text),
    encodeURIComponent(encodeURIComponent(text)),
    encodeURIComponent(text).replace(/%20/g, '+'),
    Buffer.from(text).toString('base64').replace(/=+$/, ''),
    Buffer.from(text).toString('base64url'),
    Buffer.from(text).toString('hex'),
    text.replace(/&/g, '&amp;').replace(/</g, '&lt;'),
  ]
  const encoded = (['latin1', 'utf16le'] as const).map((encoding) => Buffer.from(text, encoding))
  const inCharsets = (['gb18030', 'shift_jis'] as const).map((charset) => encodeText(text, charset))
  return [...texts.map((form) => Buffer.from(form)), ...encoded, ...inCharsets]
}

/** The forms in which a token is searched for in texts that are kept. */
export const listTokenForms = (token: string): Buffer[] =>
  [
    token,
    JSON.stringify(token).slice(1, -1),
    encodeURIComponent(token),
    Buffer.from(token).toString('base64').replace(/=+$/, ''),
    Buffer.from(token).toString('base64url'),
    Buffer.from(token).toString('hex'),
  ].map((form) => Buffer.from(form))

export interface PlantedRecording {
  readonly exchanges: RecordedExchange[]
  readonly bodies: Map<string, Uint8Array>
  readonly lines: {
    [
      Part in 'operations' | 'findings' | 'deviations' | 'console' | 'overrides' | 'snapshots' | 'steps'
    ]: RecordedLine<Part>[]
  }
}

/** A PNG with a text of its own. */
export const createPngWithText = (text: string): Buffer => {
  const chunk = (type: string, data: Buffer): Buffer => {
    const head = Buffer.alloc(8)
    head.writeUInt32BE(data.length)
    head.write(type, 4, 'latin1')
    return Buffer.concat([head, data, Buffer.alloc(4)])
  }
  const size = Buffer.alloc(13)
  size.writeUInt32BE(3, 0)
  size.writeUInt32BE(2, 4)
  size.set([8, 0, 0, 0, 0], 8)
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', size),
    chunk('tEXt', Buffer.from(`Title\0${text}`)),
    chunk('IDAT', deflateSync(Buffer.alloc(8))),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

const swapBytes = (text: string): Buffer => Buffer.from(text, 'utf16le').swap16()

/** Places for a text in a body; each returns the media type and the bytes. */
const bodyPlaces: readonly ((text: string) => readonly [mediaType: string, bytes: Buffer, endpoint?: string])[] = [
  (text) => [
    'application/json',
    Buffer.from(JSON.stringify({ nodes: [{ noteid: NOTE_ID, title: text }] })),
    'studySets.tree',
  ],
  (text) => [
    'application/json',
    Buffer.from(JSON.stringify({ unknown: { deep: [[text, { [text]: 1 }]] }, [text]: text })),
  ],
  (text) => ['application/json', Buffer.from(JSON.stringify({ notesByTag: { [text]: [NOTE_ID] } }))],
  (text) => [
    'application/json',
    Buffer.from(JSON.stringify({ error: { code: text, message: text, details: { x: text } } })),
  ],
  (text) => [
    'application/json',
    Buffer.from(JSON.stringify({ inner: JSON.stringify({ again: JSON.stringify(text) }) })),
  ],
  (text) => [
    'application/json',
    Buffer.from(
      JSON.stringify({ encoded: Buffer.from(text).toString('base64'), id: Buffer.from(text).toString('base64') }),
    ),
  ],
  (text) => [
    'application/json',
    Buffer.from(
      `{"x":"${encodeURIComponent(text)}","link":"https://example.org/${encodeURIComponent(text)}?q=${encodeURIComponent(text)}"}`,
    ),
  ],
  (text) => ['application/json', Buffer.from(`{"escaped":"${escapeUnits(text)}"}`)],
  (text) => ['application/json', Buffer.from(`{"latin":"${text.replace(/["\\\n\t]/g, '')}"}`, 'latin1')],
  (text) => ['application/json', Buffer.from(`\ufeff${JSON.stringify({ title: text })}`, 'utf16le')],
  (text) => ['application/json', swapBytes(JSON.stringify({ title: text }))],
  (text) => [
    'application/json',
    Buffer.from(`{"title":${JSON.stringify(text)},"cut":${JSON.stringify(text).slice(0, -1)}`),
  ],
  (text) => ['application/json', Buffer.from(`not json at all: ${text}`)],
  (text) => ['application/json', Buffer.from(`{"a":1} ${text}`)],
  (text) => [
    'text/html; charset=utf-8',
    Buffer.from(`<p title="${text}">${text.replace(/&/g, '&amp;').replace(/</g, '&lt;')}</p>`),
  ],
  (text) => ['text/plain; charset=iso-8859-1', Buffer.from(text, 'latin1')],
  (text) => ['text/plain', Buffer.from(`${'x'.repeat(4_090)}${text}${'y'.repeat(4_090)}`)],
  (text) => ['text/markdown', Buffer.from(`\ufeff# ${text}`, 'utf16le')],
  (text) => ['application/x-ndjson', Buffer.from(`{"title":${JSON.stringify(text)}}\n${JSON.stringify(text)}\n`)],
  (text) => [
    'application/x-www-form-urlencoded',
    Buffer.from(`title=${encodeURIComponent(text)}&${encodeURIComponent(text)}=1`),
  ],
  (text) => ['application/octet-stream', Buffer.concat([Buffer.from([0, 1, 2, 3]), Buffer.from(text)])],
  (text) => ['application/pdf', Buffer.from(`%PDF-1.7 (${text})`)],
  (text) => ['image/png', Buffer.from(`this is no picture but ${text}`)],
  (text) => ['image/png', createPngWithText(text)],
  (text) => ['image/svg+xml', Buffer.from(`<svg><text>${text}</text></svg>`)],
  (text) => [`application/json; name="${text.replace(/[^ -~]/g, '')}"`, Buffer.from('{}')],
  (text) => ['audio/mpeg', Buffer.from(`ID3 ${text}`)],
  (text) => ['text/event-stream', Buffer.from(`event: card\ndata: ${JSON.stringify({ title: text })}\n\n`)],
  (text) => [
    'multipart/form-data; boundary=border',
    Buffer.from(`--border\r\nContent-Disposition: form-data; name="title"\r\n\r\n${text}\r\n--border--\r\n`),
  ],
  (text) => ['', Buffer.from(JSON.stringify([text]))],
  (text) => ['text/plain; charset=gb18030', encodeText(`1 ${text}`, 'gb18030')],
  (text) => ['text/plain; charset="Shift_JIS"', encodeText(`1 ${text}`, 'shift_jis')],
  (text) => ['text/plain; charset=gbk', encodeText(JSON.stringify({ noteid: NOTE_ID, title: text }), 'gb18030')],
  (text) => ['text/html', encodeText(`<meta charset=shift_jis><p>${text}</p>`, 'shift_jis')],
  // The charset is untrue.
  (text) => ['text/plain; charset=shift_jis', Buffer.from(text)],
]

export function createPlantedRecording(texts: readonly string[]): PlantedRecording {
  const bodies = new Map<string, Uint8Array>()
  const addBody = (bytes: Uint8Array): string => {
    const name = createHash('sha256').update(bytes).digest('hex')
    bodies.set(name, bytes)
    return name
  }
  const exchanges = texts.map((text, index) => {
    const encoded = encodeURIComponent(text)
    const [mediaType, bytes, endpoint = null] = bodyPlaces[index % bodyPlaces.length]?.(text) ?? ['', Buffer.alloc(0)]
    const plainRequest = JSON.stringify({ noteIds: [NOTE_ID], expectedPrefix: text, extra: { [text]: text } })
    // Behind those that are sent again, requests have the bodies of all places as well.
    const [requestType, requestBytes] = (index < PLAIN_REQUESTS
      ? null
      : bodyPlaces[(index * 7) % bodyPlaces.length]?.(text)) ?? ['application/json', Buffer.from(plainRequest)]
    const headerText = Buffer.from(text.replace(/[\n\t]/g, ' ')).toString('latin1')
    return createExchange(index + 1, {
      row: {
        method: index % 7 === 0 ? 'GET' : 'POST',
        path:
          [
            `/search?q=${encoded}&scope=notes`,
            `/${encoded}/x?${encoded}=${encoded}`,
            `/library/folders?path=a/${encoded}#${encoded}`,
            `/study-sets/${TOPIC_ID}/tree?cursor=${Buffer.from(JSON.stringify([3, TOPIC_ID, text])).toString('base64url')}`,
          ][index % 4] ?? '/',
        endpoint,
        template: `/unknown/${encoded}`,
        origin: { kind: 'panel', label: text.slice(0, 200), caller: text.slice(0, 90), load: 1 },
        errorCode: text,
        host: `http://user:${encoded}@${index % 2 === 0 ? 'annas-laptop-' + index + '.local' : '192.168.1.' + (index % 250)}:42340/bridge/v1`,
        rule: index % 5 === 0 ? text : null,
        mediaType,
      },
      requestHeaders: [
        ['Referer', `https://host.local/${encoded}`],
        [`X-${encoded.slice(0, 40)}`, '1'],
        ['User-Agent', headerText],
        ['If-None-Match', `"${encoded}"`],
      ],
      responseHeaders: [
        ['Content-Type', mediaType],
        ['Content-Length', String(bytes.length)],
        ['Content-Disposition', `attachment; filename="${headerText}.pdf"; filename*=UTF-8''${encoded}.pdf`],
        ['ETag', `W/"${encoded}"`],
        ['Location', `/x/${encoded}`],
        ['Set-Cookie', `s=${encoded}`],
        ['X-Whatever', headerText],
        ['Vary', headerText],
      ],
      error: {
        kind: 'host',
        code: 'SOME_CODE',
        message: `failed at /Users/anna/${text}`,
        retryable: false,
        params: { title: text },
        details: { [text]: text },
      },
      request: { mediaType: requestType, bytes: requestBytes },
      response: { mediaType, bytes },
      requestBody: addBody(requestBytes),
      responseBody: addBody(bytes),
      names: [{ member: 'q', id: text }],
    })
  })
  return { exchanges, bodies, lines: createLines(texts) }
}

function createLines(texts: readonly string[]): PlantedRecording['lines'] {
  const origin = { kind: 'panel', label: 'Panel', load: 1 } as const
  return {
    operations: texts.map((text, index) => createOperation(text, index)),
    findings: texts.map((text) => ({
      ...({
        id: `unknown-route:1:${text.slice(0, 80)}`,
        rule: 'unknown-route',
        at: TIME,
        origin: { ...origin, label: text },
      } as const),
      resource: `GET /x/${encodeURIComponent(text)}:${text.slice(0, 80)}`.slice(0, 500),
      exchanges: [1],
      params: { path: `/x/${encodeURIComponent(text)}`, title: text, [text]: '1', id: NOTE_ID },
    })),
    deviations: texts.map((text, index) => ({
      ...({
        id: 'x',
        method: 'GET',
        template: `/x/${encodeURIComponent(text)}`,
        endpoint: null,
        kind: 'unknown-member',
        basis: 'spec',
      } as const),
      ...{
        pointer: `/a/${text.replace(/~/g, '~0').replace(/\//g, '~1')}`,
        expected: '',
        actual: text,
        example: JSON.stringify(text).slice(0, 150),
      },
      ...{ count: 1, exchangeCount: 1, firstAt: TIME, lastAt: TIME, firstSeq: 1, lastSeq: 1, hostVersions: ['4.9.1'] },
      ...{ hasMoreVersions: false, hasUnknownVersion: false, sampleSeq: index + 1, sampleId: null, isNew: true },
      muted: { reason: text, at: TIME },
    })),
    console: texts.map((text, index) => ({
      ...({
        seq: index + 1,
        at: TIME,
        kind: 'error',
        level: 'error',
        what: null,
        calls: [],
        rejectedCall: null,
        line: 1,
        column: 1,
      } as const),
      text: `Error: ${text}\n    at open (file:///Users/anna/${encodeURIComponent(text)}/app.js:3:4)`,
      ...{
        textLength: 100,
        file: `/home/anna/${text}/app.js`,
        original: { file: `src/${text}.ts`, line: 1, column: null },
        caller: null,
      },
    })),
    overrides: texts.map((text) => ({
      ...{ id: 'rule-1', name: text, on: true, delayMs: 0 },
      match: {
        method: 'GET',
        path: `/x/${encodeURIComponent(text)}`,
        query: { [text]: text },
        body: [{ at: '/a', equals: { [text]: text } }],
      },
      answer: {
        kind: 'canned',
        status: 200,
        headers: [['X-Title', 'plain']],
        body: JSON.stringify({ title: text }),
        base64: false,
      },
    })),
    snapshots: texts.flatMap((text) => [
      {
        noteid: NOTE_ID,
        parent: null,
        title: text,
        [text]: text,
        '@details': { texts: [{ text }], hashtags: [`#${text}`] },
      },
    ]),
    steps: texts.map((text) => ({ at: null, text: `I opened ${text}`, exchange: null, screenshot: null })),
  }
}

function createOperation(text: string, index: number): RecordedLine<'operations'> {
  return {
    summary: {
      ...{
        id: `op-${index}`,
        endpoint: 'notes.title',
        origin: 'sent',
        profileId: 'p1',
        profileName: text,
        createdAt: TIME,
        updatedAt: TIME,
      },
      ...{
        state: 'persisted',
        outcome: text,
        errorCode: text,
        failureCode: null,
        durationMs: 1,
        caller: 'card',
        requestId: null,
      },
      verdict: {
        ...{
          code: 'saved-and-verified',
          persisted: true,
          outcome: text,
          persistedSnapshotVerified: null,
          snapshotCurrent: null,
          done: 'yes',
        },
        quoted: [{ at: '/note', value: JSON.stringify(text) }],
      },
      ...{
        host: `http://${'laptop'}.local:1/bridge/v1`,
        topicid: TOPIC_ID,
        noteid: NOTE_ID,
        cardTitle: text,
        windowId: null,
      },
      ...{ tracking: 'none', nextLookAt: null, observations: 0, beforeRestart: false, unseen: false },
    },
    ...{
      method: 'POST',
      path: `/notes/${NOTE_ID}/title?x=${encodeURIComponent(text)}`,
      origin: 'http://127.0.0.1:1',
      body: JSON.stringify({ text, confirm: true }),
    },
    events: [
      {
        kind: 'answer',
        at: TIME,
        status: 200,
        body: { persisted: true, note: text, [text]: 1 },
        cut: false,
        durationMs: 1,
        exchangeId: 'x',
        instanceNonce: null,
      },
      {
        kind: 'read-back',
        at: TIME,
        when: 'after',
        facts: { title: text, texts: [{ text }] },
        error: { message: text },
        instanceNonce: null,
      },
      { kind: 'failure', at: TIME, reached: 'no', error: { message: text } },
    ],
    ...{ eventsDropped: 0, transitions: [], readable: true, instanceNonce: null },
    changes: [{ field: 'title', before: text, after: { [text]: text } }],
    since: [{ field: text, before: null, after: text }],
    earlier: { operationId: 'o', relation: 'replay', same: true, body: JSON.stringify({ text }) },
  }
}

const PREFIX_BYTES = 6

/** Finds the texts that can be read in an entry, in one pass over all bytes. */
export function listSurvivors(entries: readonly Buffer[], texts: readonly string[], list = listForms): string[] {
  const forms = texts.flatMap((text) => list(text).map((form) => ({ text, form })))
  const formsByPrefix = Map.groupBy(
    forms.filter(({ form }) => form.length >= PREFIX_BYTES),
    ({ form }) => form.readUIntBE(0, PREFIX_BYTES),
  )
  const survivors = new Set<string>()
  for (const entry of entries) {
    for (let offset = 0; offset + PREFIX_BYTES <= entry.length; offset += 1) {
      for (const { text, form } of formsByPrefix.get(entry.readUIntBE(offset, PREFIX_BYTES)) ?? []) {
        if (entry.subarray(offset, offset + form.length).equals(form)) survivors.add(text)
      }
    }
  }
  return [...survivors]
}

export const plantedTexts = Array.from({ length: PLANTED }, (_, index) => createText(index))
export const plantedTokens = Array.from({ length: PROFILES }, (_, index) => createToken(index))
