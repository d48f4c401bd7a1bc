import { PNG } from 'pngjs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { RecordingRedaction } from '../../../electron/services/recordings/redaction/recording-redaction.ts'
import { readContent } from '../../../electron/recording-file/pieces.ts'
import { RecordingRedactor } from '../../../electron/core/redaction/redaction.ts'
import { createReplay } from '../../../electron/core/recordings/replay/replay.ts'
import { buildReplayTimeline } from '../../../electron/core/recordings/replay/replay-timeline.ts'
import type { RecordedExchange, RedactionPolicy } from '../../../shared/recordings/recording.ts'
import { startReplayRecording } from '../../support/services/replay-recording.ts'

type Recorded = Awaited<ReturnType<typeof startReplayRecording>>

let recorded: Recorded
let exchanges: RecordedExchange[]
let topicid: string

const DEFAULT: RedactionPolicy = { texts: 'placeholder', ids: 'keep', pictures: 'grey' }

beforeAll(async () => {
  recorded = await startReplayRecording()
  const [set] = recorded.host.state.library.sets
  topicid = set?.topicid ?? ''
  await recorded.send({ path: '/capabilities' })
  await recorded.send({ path: '/library/study-sets' })
  let cursor = ''
  do {
    const { bytes } = await recorded.send({ path: `/study-sets/${topicid}/tree?limit=50${cursor}` })
    const { nextCursor } = JSON.parse(bytes.toString()) as { nextCursor: string | null }
    cursor = nextCursor === null ? '' : `&cursor=${encodeURIComponent(nextCursor)}`
  } while (cursor !== '')
  await recorded.send({ path: `/search?q=${encodeURIComponent('颈椎')}&scope=notes` })
  await recorded.send({
    method: 'POST',
    path: '/notes/batch-get',
    body: { noteIds: set?.cards.slice(0, 9).map(({ noteid }) => noteid) },
  })
  await recorded.send({
    method: 'POST',
    path: `/notes/${set?.cards[1]?.noteid}/title`,
    body: { text: '新的标题', confirm: true },
  })
  await recorded.send({ method: 'POST', path: '/notes/batch-get', body: { noteIds: [set?.cards[1]?.noteid] } })
  await recorded.send({ path: `/notes/${set?.cards[3]?.noteid}/render?format=png` })
  exchanges = await recorded.listExchanges()
})
afterAll(() => recorded.close())

interface RedactedExchange {
  readonly exchange: RecordedExchange
  readonly request: string
  readonly response: Buffer
}

async function redact(policy: RedactionPolicy): Promise<RedactedExchange[]> {
  const stored = await recorded.toSource()
  const redaction = new RecordingRedaction({ policy, tokens: [recorded.host.token] })
  const source = await redaction.redactSource(
    {
      describe: () => {
        throw new Error('not described')
      },
      lines: { exchanges },
      loadBody: async (name) => new Uint8Array(await readContent((await stored.readBody(name)) as Uint8Array)),
    },
    () => exchanges,
  )
  const load = async (name: string | null): Promise<Buffer> => {
    const content = name === null ? null : await source.loadBody(name)
    return content === null ? Buffer.alloc(0) : readContent(content)
  }
  const redacted: RedactedExchange[] = []
  for await (const exchange of source.lines.exchanges ?? [])
    redacted.push({
      exchange,
      request: (await load(exchange.requestBody)).toString(),
      response: await load(exchange.responseBody),
    })
  return redacted
}

async function readBody(name: string | null): Promise<string> {
  if (name === null) return ''
  const stored = await recorded.toSource()
  return Buffer.from((await stored.readBody(name)) as Uint8Array).toString()
}

/** The values that are no text: numbers, flags, and strings of these members. */
function listStructure(json: unknown): unknown[] {
  const members =
    /^(?:noteid|parent|topicid|bookmd5|subMapId|nextCursor|kind|commentsRevision|contentId|lastModifiedAt)$/
  const structure: unknown[] = []
  const visit = (value: unknown, name: string): void => {
    if (typeof value === 'object' && value !== null)
      for (const [member, inner] of Object.entries(value)) visit(inner, Array.isArray(value) ? name : member)
    else if (typeof value !== 'string' || members.test(name)) structure.push([name, value])
  }
  visit(json, '')
  return structure
}

describe('safety 69: a redacted recording', () => {
  const policies: RedactionPolicy[] = [
    DEFAULT,
    { texts: 'placeholder', ids: 'map', pictures: 'keep' },
    { texts: 'drop', ids: 'map', pictures: 'drop' },
    { texts: 'keep', ids: 'keep', pictures: 'keep' },
  ]

  it.each(policies)('is served like the recording itself ($texts, $ids)', async (policy) => {
    const redacted = await redact(policy)
    const bodies = new Map(
      redacted.flatMap(({ exchange, request, response }) => [
        [exchange.requestBody, Buffer.from(request)] as const,
        [exchange.responseBody, response] as const,
      ]),
    )
    const source = {
      readExchanges: () => redacted.map(({ exchange }) => exchange),
      readBody: (name: string) => Promise.resolve(bodies.get(name) ?? Buffer.alloc(0)),
    }
    const replay = createReplay(await buildReplayTimeline(source))
    for (const { exchange, request } of redacted) {
      const { method, path } = exchange.row
      const served = replay.respond({ method, path, headers: [], bodyText: request === '' ? null : request })
      const isDropped = exchange.response.missing === 'redacted'
      expect(served.kind, `${method} ${path}`).toMatch(isDropped ? /^not-recorded$/ : /^(?:recorded|bytes)$/)
      if (served.kind === 'recorded') expect(served.exchange.row.seq).toBe(exchange.row.seq)
    }
  })

  it('keeps structure, and equal texts equal', async () => {
    const redacted = await redact(DEFAULT)
    const standIns = new Map<string, string>()
    for (const [index, { exchange, response }] of redacted.entries()) {
      const before = await readBody(exchanges[index]?.responseBody ?? null)
      if (!before.startsWith('{')) continue
      const [old, changed] = [JSON.parse(before) as unknown, JSON.parse(response.toString()) as unknown]
      expect(listStructure(changed)).toEqual(listStructure(old))
      expect(
        exchange.responseHeaders.find(([name]) => /^content-length$/i.test(name))?.[1] ?? String(response.length),
      ).toBe(String(response.length))
      const titles = [...before.matchAll(/"title":"((?:[^"\\]|\\.)*)"/g)].map(([, title = '']) => title)
      const newTitles = [...response.toString().matchAll(/"title":"((?:[^"\\]|\\.)*)"/g)].map(([, title = '']) => title)
      for (const [position, title] of titles.entries()) {
        const standIn = newTitles[position] ?? ''
        expect(standIn).toHaveLength(title.length)
        expect(standIns.get(title) ?? standIn).toBe(standIn)
        standIns.set(title, standIn)
      }
    }
    expect(new Set(standIns.values()).size).toBe(standIns.size)
    expect(standIns.size).toBeGreaterThan(100)
  })

  it('keeps the words with which a host describes its interface', async () => {
    const [{ response } = { response: Buffer.alloc(0) }] = await redact(DEFAULT)
    const { bundleSubmit, reviewDeckCards, fillIndexSemantics } = JSON.parse(response.toString()) as Record<
      string,
      Record<string, unknown>
    >
    expect(bundleSubmit).toEqual({ excerptModes: ['child', 'link'], supportsWithBlank: true })
    expect(reviewDeckCards).toMatchObject({ questionModes: ['automatic', 'custom_text', 'content_part'] })
    // A sentence may say something about a library.
    expect(fillIndexSemantics?.['0']).not.toBe('fill and stroke')
  })

  it('has a grey picture of the same size in place of a card', async () => {
    const index = exchanges.findIndex(({ row }) => row.path.includes('/render'))
    const { exchange, response } = (await redact(DEFAULT))[index] ?? { exchange: null, response: Buffer.alloc(0) }
    const stored = await recorded.toSource()
    const before = PNG.sync.read(
      Buffer.from((await stored.readBody(exchanges[index]?.responseBody ?? '')) as Uint8Array),
    )
    const { width, height, data } = PNG.sync.read(response)
    expect([width, height]).toEqual([before.width, before.height])
    expect(new Set(data).size).toBe(2)
    expect(exchange?.response).toMatchObject({ mediaType: 'image/png', kept: response.length, missing: null })
  })

  it('maps ids everywhere alike', async () => {
    const redacted = await redact({ texts: 'placeholder', ids: 'map', pictures: 'grey' })
    const all = redacted
      .map(({ exchange, request, response }) => `${exchange.row.path}\n${request}\n${response.toString()}`)
      .join('\n')
    expect(all).not.toContain(topicid)
    const tree = redacted.find(({ exchange }) => exchange.row.path.includes('/tree'))
    const [, mapped = ''] = /\/study-sets\/([^/]+)\/tree/.exec(tree?.exchange.row.path ?? '') ?? []
    expect(mapped).toMatch(/^[0-9A-F]{8}(?:-[0-9A-F]{4}){3}-[0-9A-F]{12}$/)
    expect(tree?.response.toString()).toContain(mapped)
  })
})

describe('a listing that the host serves at a path of its own', () => {
  it('keeps what the contract says about its query, and nothing else', async () => {
    const tree = exchanges.find(({ row }) => row.endpoint === 'studySets.tree')
    if (!tree) throw new Error('no listing was recorded')
    const path = `/bridge/v1/study-sets/${topicid}/branches/颈椎?limit=50&withNotes=颈椎`
    const redaction = new RecordingRedaction({ policy: DEFAULT, tokens: [] })
    const { row } = await redaction.redactExchange({ ...tree, row: { ...tree.row, path } })
    expect(row.path).toContain(`/study-sets/${topicid}/`)
    expect(row.path).toContain('?limit=50&')
    expect(decodeURIComponent(row.path)).not.toContain('颈椎')
    const redactor = new RecordingRedactor(DEFAULT)
    const structural = `/bridge/v1/study-sets/${topicid}/tree/notes?limit=50`
    expect(redactor.leavesRequest({ row: { ...tree.row, path: structural } }, null)).toBe(true)
    expect(redactor.leavesRequest({ row: { ...tree.row, path } }, null)).toBe(false)
  })
})
