import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  isContentFault,
  type ContentFault,
  faultDescriptions,
  type FaultName,
} from '../../../electron/demo-host/faults.ts'
import { endpoints } from '../../../shared/bridge/endpoints/index.ts'
import { startDemo, type DemoConnection } from '../../support/hosts/demo.ts'

let host: DemoConnection
let topicid = ''
let noteid = ''

beforeAll(async () => {
  host = await startDemo({ pairingCode: '123456', settleMs: 3_600_000 })
  const set = host.host.state.library.sets[1]
  topicid = set?.topicid ?? ''
  noteid = set?.cards[4]?.noteid ?? ''
})
afterAll(() => host.host.close())

const getStatusAndCode = (response: {
  status: number
  json: { error?: { code: string } }
}): [number, string | undefined] => [response.status, response.json.error?.code]
const fetchRevision = async (): Promise<string> => {
  const { json } = await host.ask('notes.batchGet', { body: { noteIds: [noteid] } })
  return (json['items'] as { commentsRevision: string }[])[0]?.commentsRevision ?? ''
}

describe('access (spec §5)', () => {
  it('needs a token everywhere except for status', async () => {
    expect(getStatusAndCode(await host.ask('capabilities.get', { token: null }))).toEqual([401, 'UNAUTHORIZED'])
    expect(getStatusAndCode(await host.ask('capabilities.get', { token: 'wrong' }))).toEqual([401, 'UNAUTHORIZED'])
    const status = await host.ask('status.get', { token: null })
    expect([status.status, status.json['authorized']]).toEqual([200, false])
    expect((await host.ask('status.get')).json['authorized']).toBe(true)
  })

  it('is refused with an Origin', async () => {
    expect(getStatusAndCode(await host.ask('capabilities.get', { headers: { origin: 'http://evil' } }))).toEqual([
      403,
      'FORBIDDEN_ORIGIN',
    ])
  })

  it('needs no token for a panel, which is limited to its list and gets confirm and addon', async () => {
    const panel = { token: null, headers: { 'x-demo-panel': '1' } }
    expect((await host.ask('capabilities.get', panel)).status).toBe(200)
    const band = await host.ask('notes.blankBands', { ...panel, params: { noteid }, body: { height: 120 } })
    expect([band.status, band.json['persisted']]).toEqual([200, undefined])
    expect(band.json['band']).toMatchObject({ live: true, noteid: expect.any(String) as string })
    expect(
      getStatusAndCode(
        await host.ask('studySets.delete', { ...panel, params: { topicid }, body: { expectedTitle: 'x' } }),
      ),
    ).toEqual([403, 'IN_PROCESS_NOT_ALLOWED'])
    const verdict = await host.ask('notes.practiceVerdict', {
      ...panel,
      params: { noteid },
      body: { expectedRevision: await fetchRevision(), self: 'good', addon: 'evil', practice: { topic: topicid } },
    })
    expect((verdict.json['practice'] as { addon: string }).addon).toBe('app.demo.practice')
  })

  it('is granted once by pairing, and three wrong tries void the code', async () => {
    const sendPairing = (digits: string) =>
      host.ask('pair.post', { token: null, body: { code: digits, deviceName: 'test' } })
    expect(getStatusAndCode(await sendPairing('000000'))).toEqual([403, 'PAIRING_FAILED'])
    const { json } = await sendPairing('123456')
    expect((await host.ask('capabilities.get', { token: String(json['token']) })).status).toBe(200)
    expect(getStatusAndCode(await sendPairing('123456'))).toEqual([403, 'PAIRING_FAILED'])
    const voided = await startDemo({ pairingCode: '654321' })
    for (let n = 0; n < 3; n += 1) await voided.ask('pair.post', { token: null, body: { code: '1', deviceName: 't' } })
    const late = await voided.ask('pair.post', { token: null, body: { code: '654321', deviceName: 't' } })
    expect(getStatusAndCode(late)).toEqual([403, 'PAIRING_FAILED'])
    await voided.host.close()
  })
})

describe('write (spec §4)', () => {
  it('is not executed without confirm', async () => {
    const guarded = endpoints.filter(({ confirm, dryRun }) => confirm === 'body' && dryRun !== true)
    expect(guarded.length).toBeGreaterThan(20)
    const before = JSON.stringify(host.host.state.library.sets)
    for (const row of guarded) {
      const params = Object.fromEntries(row.parameters.map(({ name, type }) => [name, type === 'integer' ? '1' : 'X']))
      // The refusal says nothing about the content of the body, because nothing is checked
      // before confirmation.
      expect(getStatusAndCode(await host.ask(row.id, { params, body: { noteIds: ['X'] } })), row.id).toEqual([
        422,
        'CONFIRM_REQUIRED',
      ])
    }
    const upload = await host.send('POST', '/library/documents/upload?filename=a', { body: 'file' })
    expect(getStatusAndCode(upload)).toEqual([422, 'CONFIRM_REQUIRED'])
    expect(JSON.stringify(host.host.state.library.sets)).toBe(before)
  })

  it('is refused with a code for a body that does not fit', async () => {
    expect(getStatusAndCode(await host.ask('notes.batchGet', { body: '{oops' }))).toEqual([400, 'INVALID_JSON'])
    const tooManyIds = Array.from({ length: 201 }, () => noteid)
    expect(getStatusAndCode(await host.ask('notes.batchGet', { body: { noteIds: tooManyIds } }))).toEqual([
      422,
      'BODY_INVALID',
    ])
  })

  it('appends bands, or refuses with a stable code', async () => {
    const appendBand = (height: number) =>
      host.ask('notes.blankBands', { params: { noteid }, body: { role: 'practice', height, confirm: true } })
    const appended = await appendBand(240)
    expect((appended.json['band'] as { height: number; hasInk: boolean }).height).toBe(240)
    const count = (appended.json['bands'] as unknown[]).length
    expect(getStatusAndCode(await appendBand(9001))).toEqual([409, 'NO_SELECTION'])
    expect(getStatusAndCode(await appendBand(9002))).toEqual([409, 'INSERTION_REFUSED'])
    expect(getStatusAndCode(await appendBand(9003))).toEqual([409, 'PHYSICAL_SAVE_FAILED'])
    expect(((await appendBand(120)).json['bands'] as unknown[]).length).toBe(count + 1)
  })

  it('needs the current revision for a verdict, and has its three errors', async () => {
    const sendVerdict = async (body: object) =>
      host.ask('notes.practiceVerdict', {
        params: { noteid },
        body: {
          expectedRevision: await fetchRevision(),
          practice: { topic: topicid },
          self: 'again',
          reason: 'careless',
          confirm: true,
          ...body,
        },
      })
    const done = await sendVerdict({})
    expect(done.json['persisted']).toBe(true)
    expect(done.json['hashtags']).toEqual(
      expect.arrayContaining(['#practice/question', '#practice/again', '#practice/error/careless']),
    )
    expect(done.json['commentsRevision']).toBe(await fetchRevision())
    const before = await fetchRevision()
    expect(getStatusAndCode(await sendVerdict({ expectedRevision: '0' }))).toEqual([409, 'COMMENT_CHANGED'])
    expect(getStatusAndCode(await sendVerdict({ practice: { topic: 'OTHER' } }))[1]).toBe('PRACTICE_TOPIC_CHANGED')
    expect(getStatusAndCode(await sendVerdict({ self: 'a b' }))[1]).toBe('PRACTICE_KEY_INVALID')
    expect(getStatusAndCode(await sendVerdict({ addon: 'app.demo.flashcards' }))[1]).toBe('PRACTICE_CONFIG_UNAVAILABLE')
    expect(await fetchRevision()).toBe(before)
  })

  it('acknowledges session commands without finishing them', async () => {
    const body = { requestId: 'r1', runId: 'run', questionId: 'q', carrier: 'focus', confirm: true }
    const first = await host.ask('writing.sessionFocusBegin', { body })
    expect(first.json).toMatchObject({
      state: 'accepted',
      outcome: 'pending',
      settled: false,
      persisted: true,
      requestId: 'r1',
    })
    expect((await host.ask('writing.sessionFocusBegin', { body })).json['attemptId']).toBe(first.json['attemptId'])
    expect((await host.ask('writing.sessionReserve', { body })).json['attemptId']).not.toBe(first.json['attemptId'])
  })

  it('makes a pencil commit idempotent, blocks its window until it settles, and forgets it at a restart', async () => {
    const sendCommit = (requestId: string, note = noteid, surfaceId = 'main') =>
      host.ask('writing.pencilCommit', {
        body: { requestId, surfaceId, target: { topicid, noteid: note, layerId: '' }, confirm: true },
      })
    const fetchResult = (requestId: string) => host.ask('writing.pencilResult', { body: { requestId } })
    const first = await sendCommit('c1')
    expect([first.status, first.json['state'], first.json['receipt'], first.json['inputFrozen']]).toEqual([
      202,
      'pending',
      null,
      true,
    ])
    expect((await sendCommit('c1')).json).toEqual(first.json)
    expect(getStatusAndCode(await sendCommit('c1', 'OTHER'))).toEqual([409, 'REQUEST_CONFLICT'])
    expect(getStatusAndCode(await sendCommit('c2'))).toEqual([409, 'OPERATION_UNFINISHED'])
    expect((await sendCommit('c3', noteid, 'other-window')).status).toBe(202)
    expect((await fetchResult('c1')).json).toMatchObject({ settled: false, outcome: 'pending' })
    host.host.state.writingDesk.finishCommits('c1')
    expect((await fetchResult('c3')).json).toMatchObject({ settled: true })
    expect((await fetchResult('c1')).json).toMatchObject({ settled: false })
    host.host.state.writingDesk.finishCommits()
    expect((await fetchResult('c1')).json).toMatchObject({
      settled: true,
      persistedSnapshotVerified: true,
      snapshotCurrent: true,
    })
    expect((await sendCommit('c2')).status).toBe(202)
    const nonce = (await host.ask('status.get')).json['instanceNonce']
    await host.host.restart(10)
    expect(getStatusAndCode(await fetchResult('c1'))).toEqual([404, 'OPERATION_NOT_FOUND'])
    expect((await host.ask('status.get')).json['instanceNonce']).not.toBe(nonce)
  })

  it('changes later reads', async () => {
    const confirm = true
    await host.ask('notes.title', { params: { noteid }, body: { text: 'Renamed', confirm } })
    await host.ask('notes.hashtags', { body: { noteIds: [noteid], operation: 'add', hashtags: ['#new'], confirm } })
    await host.ask('notes.metadata', { body: { noteIds: [noteid], patch: { colorIndex: 5 }, confirm } })
    const { json } = await host.ask('notes.batchGet', { body: { noteIds: [noteid] } })
    expect((json['items'] as object[])[0]).toMatchObject({ title: 'Renamed', metadata: { colorIndex: 5 } })
    expect(JSON.stringify(json)).toContain('#new')
    const created = await host.ask('studySets.create', { body: { title: 'Mine', confirm } })
    const id = String(created.json['topicid'])
    const wrongTitle = await host.ask('studySets.delete', {
      params: { topicid: id },
      body: { expectedTitle: 'x', confirm },
    })
    expect([wrongTitle.status, wrongTitle.json.error]).toMatchObject([
      409,
      { code: 'TITLE_MISMATCH', details: { actualTitle: 'Mine' } },
    ])
    expect(
      (await host.ask('studySets.delete', { params: { topicid: id }, body: { expectedTitle: 'Mine', confirm } })).json[
        'persisted'
      ],
    ).toBe(true)
    expect(getStatusAndCode(await host.ask('studySets.palette', { params: { topicid: id } }))).toEqual([
      404,
      'TOPIC_NOT_FOUND',
    ])
    const removed = await host.ask('notes.delete', { body: { noteIds: [noteid], confirm } })
    expect(removed.json['deleted']).toMatchObject([{ noteid }])
  })
})

/** Faults of content are covered by content-faults.test.ts. */
type JsonFault = Exclude<FaultName, ContentFault>

describe('fault of the host', () => {
  it.each(Object.keys(faultDescriptions).filter((name) => !isContentFault(name)) as JsonFault[])(
    '%s shows until it is removed',
    async (name) => {
      const faulty = await startDemo({ fault: name })
      const path = `${faulty.host.baseUrl}/study-sets/${faulty.host.state.generatedSet.topicid}/tree?limit=20`
      const headers = { authorization: `Bearer ${faulty.host.token}` }
      // Only stall and slow-drip show by a response that never ends.
      const signal = name === 'stall' || name === 'slow-drip' ? AbortSignal.timeout(400) : null
      const outcome = await fetch(path, { headers, redirect: 'manual', signal })
        .then(async (response) => {
          const reader = response.body?.getReader()
          let size = 0
          let text = ''
          for (;;) {
            const { value, done } = (await reader?.read()) ?? { value: undefined, done: true }
            if (done) break
            size += value?.byteLength ?? 0
            if (size < 4_000_000) text += new TextDecoder('latin1').decode(value)
            if (size > 20_000_000) return 'too much'
          }
          return `${response.status} ${response.headers.get('content-type') ?? ''} ${text}`
        })
        .catch((error: unknown) => `broken ${String(error)}`)
      const expected: Record<JsonFault, RegExp> = {
        'malformed-json': /200 application\/json \{"nodes":\[\{"noteid":"A","ti$/,
        'truncated-body': /^broken/,
        'slow-drip': /^broken/,
        stall: /^broken/,
        reset: /^broken/,
        'reset-after': /^broken/,
        'error-after': /^500 .*INTERNAL/,
        'rate-limit': /^429 .*SCAN_BUSY.*retryAfterSeconds/,
        'html-500': /^500 text\/html .*<h1>/,
        redirect: /^307/,
        'wrong-content-type': /^200 text\/html \{"topicid"/,
        restart: /^200/,
        huge: /too much/,
        'gzip-bomb': /too much/,
        'invalid-utf8': /caf\u00e9"/,
        'big-numbers': /12345678901234567890/,
        'duplicate-keys': /"twice":1,"twice":2/,
        'deep-json': /\[{100000}/,
        'tree-problems': /CYCLE-A/,
        drift: /"positions":/,
      }
      expect(outcome).toMatch(expected[name])
      expect((await faulty.ask('status.get')).status).toBe(200)
      faulty.host.setFault(null)
      expect((await faulty.ask('studySets.list')).status).toBe(200)
      await faulty.host.close()
    },
  )
})
