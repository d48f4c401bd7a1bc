import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { MIN_ATTEMPT_GAP_MS } from '../../../electron/services/bridge/connection/heartbeat.ts'
import { findingRuleIds, findingSchema, type FindingRuleId } from '../../../shared/protocol/finding.ts'
import { isAdvice, ruleTable } from '../../../shared/protocol/rule-table.ts'
import { getMember } from '../../../shared/json/object.ts'
import { lawfulHosts, type LawfulHost } from '../../support/hosts/lawful-hosts.ts'
import { pencilRules, unknownId } from './pencil-rules.ts'
import { programRules, type RuleCases } from './program-rules.ts'
import { PANEL_ORIGIN, RuleRecording, RECORDED_ORIGIN } from '../../support/services/rule-recording.ts'

/** Hosts on which each case is played. */
const DRAWN_HOSTS = 10

const stale = { status: 409, code: 'COMMENT_CHANGED', response: { error: { code: 'COMMENT_CHANGED' } } }
const moved = { status: 409, code: 'PRACTICE_TOPIC_CHANGED', response: {} }
const noNote = { status: 404, code: 'NOTE_NOT_FOUND', response: {} }
const busy = (seconds: unknown) => ({
  status: 429,
  code: 'SCAN_BUSY',
  response: { error: { details: { retryAfterSeconds: seconds } } },
})
const badCursor = { status: 422, code: 'BAD_PARAMETER', response: { error: { code: 'BAD_PARAMETER' } } }

const title = (r: RuleRecording, noteid: string, options = {}) =>
  r.post(`/notes/${noteid}/title`, { text: 'x' }, options)
const polls = (r: RuleRecording, pause: number, n: number) => {
  r.sendCommit('A')
  for (let i = 0; i < n; i += 1) r.wait(pause).poll('A', i === n - 1, { durationMs: 5 })
}

const cases: Readonly<Record<FindingRuleId, RuleCases>> = {
  ...pencilRules,
  'stale-revision': {
    breaks: {
      'its own verdict replaced it': (r) => [
        r.sendVerdict('N-1', '5', { response: { commentsRevision: '6' } }),
        r.sendVerdict('N-1', '5', stale),
      ],
      'refused before': (r) => [
        r.get('/notes/N-1/x', { response: '5' }),
        r.sendVerdict('N-1', '5', stale),
        r.wait(2_000).sendVerdict('N-1', '5', stale),
      ],
      'never told': (r) => [
        r.post('/notes/batch-get', { noteIds: ['N-1'] }, { response: { revision: 7 } }),
        r.sendVerdict('N-1', 'old', stale),
      ],
    },
    nearMisses: {
      current: (r) => [
        r.sendVerdict('N-1', '5', { response: { commentsRevision: '6' } }),
        r.sendVerdict('N-1', '6', { response: { commentsRevision: '7' } }),
      ],
      'somebody else was faster': (r) => [
        r.post('/notes/batch-get', { noteIds: ['N-1'] }, { response: { revision: 5 } }),
        r.sendVerdict('N-1', '5', stale),
      ],
      'read again': (r) => [
        r.post('/notes/batch-get', { noteIds: ['N-1'] }, { response: { revision: 5 } }),
        r.sendVerdict('N-1', '5', stale),
        r.post('/notes/batch-get', { noteIds: ['N-1'] }, { response: { revision: 6 } }),
        r.sendVerdict('N-1', '6'),
      ],
      'the host takes it': (r) => [
        r.sendVerdict('N-1', '5', { response: { commentsRevision: '6' } }),
        r.sendVerdict('N-1', '5'),
      ],
    },
  },
  'verdict-resent': {
    breaks: { 'as is': (r) => [r.sendVerdict('N-1', '5', moved), r.wait(1_000).sendVerdict('N-1', '5', moved)] },
    nearMisses: {
      're-read in between': (r) => [r.sendVerdict('N-1', '5', moved), r.get('/ui-state'), r.sendVerdict('N-1', '5')],
      'for another card': (r) => [r.sendVerdict('N-1', '5', moved), r.sendVerdict('N-2', '5', moved)],
      'the retry was cancelled': (r) => [
        r.sendVerdict('N-1', '5', moved),
        r.sendVerdict('N-1', '5', { state: 'cancelled', status: null }),
      ],
    },
  },
  'write-on-failed-id': {
    breaks: {
      'the host does not know it': (r) => [
        title(r, 'N-9', noNote),
        r.wait(500).post('/notes/N-9/text', { text: 'x' }, noNote),
      ],
      'a band that was not created': (r) => [
        r.post(
          '/notes/N-1/blank-bands',
          { role: 'x' },
          { status: 409, code: 'SAVE_FAILED', response: { error: { details: { physicalNoteId: 'N-7' } } } },
        ),
        r.wait(1_000).post('/notes/N-7/text', { text: 'x' }),
      ],
    },
    nearMisses: {
      'read in between': (r) => [
        title(r, 'N-9', noNote),
        r.post('/notes/batch-get', { noteIds: ['N-9'] }, { response: { items: [{ noteid: 'N-9' }] } }),
        title(r, 'N-9'),
      ],
      'the host takes it by now': (r) => [
        title(r, 'N-9', noNote),
        r.wait(3_000).post('/notes/N-9/title', { text: 'x' }),
      ],
      'busy, and again': (r) => [
        title(r, 'N-9', { status: 503, code: 'BUSY' }),
        r.wait(5_000).post('/notes/N-9/text', { text: 'x' }),
      ],
      'unknown route': (r) => [
        title(r, 'N-9', { status: 404, code: 'ROUTE_NOT_FOUND' }),
        r.post('/notes/N-9/text', { text: 'x' }),
      ],
      'one of several': (r) => [r.post('/notes/move', { noteIds: ['N-1', 'N-2'] }, noNote), title(r, 'N-2')],
      'long after': (r) => [
        title(r, 'N-9', noNote),
        ...Array.from({ length: 11 }, (_, i) => r.wait(2_000).get(`/search?q=${i}`)),
        title(r, 'N-9'),
      ],
      'a preview names it': (r) => [
        r.post(
          '/notes/N-1/blank-bands',
          {},
          { status: 422, code: 'CONFIRM_REQUIRED', response: { error: { details: { physicalNoteId: 'N-7' } } } },
        ),
        title(r, 'N-7'),
      ],
      'the study set is unknown, not the card': (r) => [
        r.sendVerdict('N-1', '5', { status: 404, code: 'TOPIC_NOT_FOUND', response: {} }),
        title(r, 'N-1'),
      ],
    },
  },
  'paging-stopped': {
    breaks: {
      'after two pages': (r) => [r.readPage(null, 'c1'), r.readPage('c1', 'c2')],
      'after one': (r) => r.readPage(null, 'c1'),
    },
    nearMisses: {
      'to the end': (r) => [r.readPage(null, 'c1'), r.readPage('c1', 'c2'), r.readPage('c2', null)],
      'the card was read by itself': (r) => [
        r.readPage(null, 'c1'),
        r.post('/notes/batch-get', { noteIds: ['N-1'] }, { response: { items: [{ noteid: 'N-1' }] } }),
        r.sendVerdict('N-1', '5'),
        r.waitAndTick(),
        r.readPage('c1', null),
      ],
      'past the limit by sub-maps': (r) => [
        r.readPage(null, null, { response: { nextCursor: null, walkLimitReached: true } }),
        r.get('/study-sets/T-1/tree?root=N-2', { response: { nodes: [{ noteid: 'N-1' }], nextCursor: null } }),
        r.sendVerdict('N-1', '5'),
      ],
      'only the count': (r) => r.readPage(null, 'c1', { limit: 1 }),
      cancelled: (r) => [r.readPage(null, 'c1'), r.readPage('c1', null, { state: 'cancelled', status: null })],
      refused: (r) => [r.readPage(null, 'c1'), r.readPage('c1', null, { status: 503, code: 'BUSY' })],
      'begun anew': (r) => [r.readPage(null, 'c1'), r.readPage(null, 'c1'), r.readPage('c1', null)],
      'slow, but going on': (r) => [r.readPage(null, 'c1'), r.waitAndTick(28_000), r.readPage('c1', null)],
      'the next page is under way': (r) => [
        r.readPage(null, 'c1'),
        r.waitAndTick(60_000, [{ origin: PANEL_ORIGIN, host: 'http://127.0.0.1:42340/bridge/v1' }]),
        r.readPage('c1', null),
      ],
      'an answer that is not known': (r) => r.readPage(null, 'c1', { response: undefined }),
    },
  },
  'cursor-invented': {
    breaks: {
      invented: (r) => [r.readPage(null, null), r.readPage('zzz', null, badCursor)],
      'accepted all the same': (r) => [r.readPage(null, null), r.readPage('5000', null)],
      'used again': (r) => [r.readPage(null, 'c1'), r.readPage('c1', null), r.readPage('c1', null)],
      'used again and again': (r) => [
        ...[null, 'c1', 'c1', 'c1'].map((cursor) => r.readPage(cursor, cursor === null ? 'c1' : 'c2')),
        r.readPage('c2', null),
      ],
    },
    nearMisses: {
      'a retry': (r) => [
        r.readPage(null, 'c1'),
        r.readPage('c1', null, { state: 'failed', status: null }),
        r.readPage('c1', null),
      ],
      'read anew': (r) => [
        r.readPage(null, 'c1'),
        r.readPage('c1', null),
        r.readPage(null, 'c1'),
        r.readPage('c1', null),
      ],
      'twice at once': (r) => [
        r.readPage(null, 'c1'),
        r.readPage(null, 'c1'),
        r.readPage('c1', null),
        r.readPage('c1', null),
      ],
      'stopped and gone on with': (r) => [
        r.readPage(null, 'c1'),
        r.readPage('c1', 'c2'),
        r.readPage('c2', 'c3'),
        r.readPage('c1', 'c2'),
        r.readPage('c2', 'c3'),
        r.readPage('c3', null),
      ],
      'after a write': (r) => [r.readPage(null, 'c1'), r.readPage('c1', null), title(r, 'N-5'), r.readPage('c1', null)],
      'a place, which reads ahead of what it shows': (r) =>
        [null, 'c1', 'c1', 'c1'].map((cursor) =>
          r.readPage(cursor, cursor === null ? 'c1' : null, { origin: { kind: 'place', label: null } }),
        ),
      'from before the recording': (r) => r.readPage('c7', null),
      'of a run that is over': (r) => [
        r.readPage(null, 'c1'),
        r.readPage('c1', null, { ...badCursor, instance: 'run-2' }),
        r.readPage(null, null, { instance: 'run-2' }),
      ],
    },
  },
  'incomplete-listing-then-write': {
    breaks: {
      'the rest was left': (r) => [r.readPage(null, 'c1'), r.sendVerdict('N-1', '5')],
      'the limit was reached': (r) => [
        r.readPage(null, null, { response: { nextCursor: null, walkLimitReached: true } }),
        r.sendVerdict('N-1', '5'),
      ],
    },
    nearMisses: {
      'more is loaded on demand, and a card in sight is edited': (r) => [
        r.readPage(null, 'c1'),
        title(r, 'N-first'),
        r.sendVerdict('N-first', '5'),
        r.end(),
      ],
      'the card was in another order of the listing': (r) => [
        r.readPage(null, 'c1'),
        r.get('/study-sets/T-1/tree?sort=document', { response: { nodes: [{ noteid: 'N-1' }], nextCursor: 'd1' } }),
        r.sendVerdict('N-1', '5'),
        r.end(),
      ],
      'the card in focus': (r) => [
        r.readPage(null, 'c1'),
        r.get('/ui-state', { response: { state: { topicid: 'T-1', focusnoteid: 'N-1' } } }),
        r.sendVerdict('N-1', '5'),
        r.end(),
      ],
      'a card of which no study set is known': (r) => [r.readPage(null, 'c1'), title(r, 'N-1'), r.end()],
      'a page that is not known': (r) => [
        r.readPage(null, 'c1'),
        r.readPage('c1', 'c2', { response: undefined }),
        r.sendVerdict('N-1', '5'),
      ],
      'a page is read again after the end': (r) => [
        r.readPage(null, 'c1'),
        r.readPage('c1', 'c2'),
        r.readPage('c2', null),
        r.wait(3_000).readPage('c1', 'c2'),
        r.sendVerdict('N-1', '5'),
      ],
      'the beginning is read again after the end, in another order': (r) => [
        r.readPage(null, 'c1'),
        r.readPage('c1', null),
        r.get('/study-sets/T-1/tree?sort=document&limit=50', { response: { nextCursor: 'd1', truncated: true } }),
        r.sendVerdict('N-1', '5'),
      ],
      'only earlier pages said that the limit is reached': (r) => [
        r.readPage(null, 'c1', { response: { nextCursor: 'c1', walkLimitReached: true } }),
        r.readPage('c1', null, { response: { nextCursor: null, walkLimitReached: false } }),
        r.sendVerdict('N-1', '5'),
      ],
      'read to the end first': (r) => [r.readPage(null, 'c1'), r.readPage('c1', null), r.sendVerdict('N-1', '5')],
      'read on afterwards': (r) => [r.readPage(null, 'c1'), r.sendVerdict('N-1', '5'), r.readPage('c1', null)],
      'only the count': (r) => [r.readPage(null, 'c1', { limit: 1 }), r.sendVerdict('N-1', '5')],
      'the write was refused': (r) => [
        r.readPage(null, 'c1'),
        r.sendVerdict('N-1', '5', moved),
        r.readPage('c1', null),
      ],
    },
  },
  'parameter-out-of-range': {
    breaks: {
      'limit 0': (r) => r.readPage(null, null, { limit: 0 }),
      'limit 5001': (r) => r.readPage(null, null, { limit: 5001 }),
      'maxEdge 5000': (r) => r.get('/notes/N-1/content/C-1?maxEdge=5000'),
      'page 0': (r) => r.get('/documents/B/pages/0/parts'),
      'more ids than the host states': (r) => [
        r.get('/capabilities', { response: { routes: [], noteMetadata: { maxNoteIds: 200 } } }),
        r.post(
          '/notes/batch-get',
          { noteIds: Array.from({ length: 201 }, (_, i) => `N-${i}`) },
          { status: 422, code: 'TOO_MANY' },
        ),
      ],
      'no number': (r) => r.get('/notes/N-1/content/C-1?maxEdge=big'),
      'a flag that may only be 1': (r) => r.get('/documents/B/excerpts?duplicatesOnly=true'),
    },
    nearMisses: {
      'at the borders': (r) => [
        r.readPage(null, null, { limit: 1 }),
        r.get('/notes/N-1/content/C-1?maxEdge=64'),
        r.get('/notes/N-1/content/C-1?maxEdge=4096'),
      ],
      'page 1': (r) => r.get('/documents/B/pages/1/parts'),
      'a flag that is 1, and flags that were only observed': (r) => [
        r.get('/documents/B/excerpts?duplicatesOnly=1'),
        r.get('/documents/B/pages?start=1&end=3&blocks=true'),
      ],
      'ranges that were only observed': (r) => [
        r.get('/documents/B/pages?start=0&end=3'),
        r.post('/documents/B/locate', { text: 'x', page: 0 }),
        r.post('/notes/batch-get', { noteIds: Array.from({ length: 201 }, (_, i) => `N-${i}`) }, { status: 422 }),
      ],
      '200 ids': (r) => r.post('/notes/batch-get', { noteIds: Array.from({ length: 200 }, (_, i) => `N-${i}`) }),
      'the host takes more': (r) => [
        r.get('/capabilities', { response: { routes: [], noteMetadata: { maxNoteIds: 500 } } }),
        r.post('/notes/batch-get', { noteIds: Array.from({ length: 300 }, (_, i) => `N-${i}`) }),
      ],
      none: (r) => r.get('/study-sets/T-1/tree'),
      'an unknown route': (r) => r.get('/strange?limit=0'),
    },
  },
  'retry-too-early': {
    breaks: {
      'at once': (r) => [r.get('/search?q=x', busy(2)), r.wait(300).get('/search?q=x')],
      'as text': (r) => [r.get('/search?q=x', busy('2')), r.get('/search?q=x')],
    },
    nearMisses: {
      'in time': (r) => [r.get('/search?q=x', busy(2)), r.wait(2_000).get('/search?q=x')],
      'a little early by the clock': (r) => [r.get('/search?q=x', busy(2)), r.wait(1_900).get('/search?q=x')],
      'another request': (r) => [r.get('/search?q=x', busy(2)), r.get('/search?q=y')],
      'nothing asked for': (r) => [r.get('/search?q=x', busy(null)), r.get('/search?q=x')],
      nonsense: (r) => [
        r.get('/search?q=x', busy(1e99)),
        r.get('/search?q=x', busy(-1)),
        r.get('/search?q=x', busy({})),
      ],
      'once more after it worked': (r) => [
        r.get('/search?q=x', busy(1)),
        r.wait(1_000).get('/search?q=x'),
        r.get('/search?q=x'),
      ],
    },
  },
  'read-burst': {
    breaks: {
      'five at once': (r) => Array.from({ length: 5 }, () => r.get('/study-sets/T-1/note-palette', { durationMs: 30 })),
    },
    nearMisses: {
      four: (r) => Array.from({ length: 4 }, () => r.get('/study-sets/T-1/note-palette')),
      'over time': (r) => Array.from({ length: 20 }, () => r.wait(300).get('/study-sets/T-1/note-palette')),
      'different ones': (r) => Array.from({ length: 20 }, (_, i) => r.get(`/study-sets/T-${i}/note-palette`)),
      'pieces of a sound': (r) => Array.from({ length: 20 }, () => r.get('/notes/N-1/content/C-1')),
      'after each write': (r) =>
        Array.from({ length: 10 }, () => [title(r, 'N-1'), r.get('/study-sets/T-1/note-palette')]),
      retries: (r) => Array.from({ length: 6 }, (_, i) => r.get('/study-sets/T-1/note-palette', { attempt: i + 1 })),
    },
  },
  'polling-too-fast': {
    breaks: { 'ten times a second': (r) => polls(r, 95, 10) },
    nearMisses: {
      'twice a second': (r) => polls(r, 500, 20),
      'nearly twice a second': (r) => polls(r, 460, 20),
      'a few quickly': (r) => polls(r, 50, 5),
      'this program, impatiently connected after a test': (r) => {
        for (const pause of [0, 20, ...Array.from({ length: 10 }, () => MIN_ATTEMPT_GAP_MS)])
          r.wait(pause).get('/status')
      },
      'several at once': (r) => {
        for (let i = 0; i < 8; i += 1) {
          r.get('/ui-state', { durationMs: 100 })
          r.timestamp -= 100
        }
      },
    },
  },
  'binary-through-api': {
    breaks: {
      image: (r) => r.get('/notes/N-1/content/C-1', { via: 'host.api' }),
      guide: (r) => r.get('/guide', { via: 'host.api' }),
    },
    nearMisses: {
      'by fetch': (r) => [r.get('/notes/N-1/content/C-1', { via: 'fetch' }), r.get('/guide', { via: 'fetch' })],
      JSON: (r) => r.get('/ui-state', { via: 'host.api' }),
      'the list of files': (r) => r.get('/bundles/B-1/files', { via: 'host.api' }),
      'an unknown route': (r) => r.get('/strange', { via: 'host.api' }),
    },
  },
  'confirm-or-addon-sent': {
    breaks: {
      confirm: (r) => title(r, 'N-1', { sentMembers: { confirm: true, addon: false } }),
      both: (r) => r.sendVerdict('N-1', '5', { sentMembers: { confirm: true, addon: true } }),
    },
    nearMisses: {
      neither: (r) => title(r, 'N-1', { sentMembers: { confirm: false, addon: false } }),
      'filled in by the gate': (r) => r.post('/notes/N-1/title', { confirm: true, text: 'x' }),
    },
  },
  'outside-allow-list': {
    breaks: {
      refused: (r) => r.get('/pair', { status: 403, code: 'IN_PROCESS_NOT_ALLOWED' }),
      'refused by this program, and listed by the host': (r) => [
        r.get('/capabilities', { response: { routes: [{ method: 'GET', path: '/writing/context' }] } }),
        r.get('/writing/context', { status: 403, code: 'IN_PROCESS_NOT_ALLOWED', isHostResponse: false }),
      ],
    },
    nearMisses: {
      'another 403': (r) => title(r, 'N-1', { status: 403, code: 'MAX_REQUIRED' }),
      'by this program, for a route that the host does not list at all': (r) => [
        r.get('/capabilities', { response: { routes: [{ method: 'GET', path: '/ui-state' }] } }),
        r.get('/writing/context', { status: 403, code: 'IN_PROCESS_NOT_ALLOWED', isHostResponse: false }),
      ],
    },
  },
  'ids-of-old-run': {
    breaks: {
      'a request id': (r) => [
        r.sendCommit('A'),
        r.poll('A', false, { ...unknownId, instance: 'run-2' }),
        r.wait(1_000).poll('A', false, { ...unknownId, instance: 'run-2' }),
      ],
    },
    nearMisses: {
      'learns of the restart': (r) => [r.sendCommit('A'), r.poll('A', false, { ...unknownId, instance: 'run-2' })],
      'the same run': (r) => [r.sendCommit('A'), r.poll('A', false, unknownId), r.poll('A', false, unknownId)],
      'ids of cards': (r) => [
        r.get('/notes/N-1/render'),
        r.get('/notes/N-1/render', { instance: 'run-2', ...noNote }),
        r.get('/notes/N-1/render', { instance: 'run-2', ...noNote }),
      ],
      'the run is not known': (r) => [
        r.sendCommit('A', { instance: null }),
        r.poll('A', false, { ...unknownId, instance: null }),
        r.poll('A', false, { ...unknownId, instance: null }),
      ],
    },
  },
  ...programRules,
}

describe.each(findingRuleIds)('rule %s', (rule) => {
  test.each(Object.entries(cases[rule].breaks))('reports: %s', (_, play) => {
    const recording = new RuleRecording(PANEL_ORIGIN)
    play(recording)
    recording.waitAndTick()
    expect(recording.brokenRules).toEqual([rule])
    const [finding] = recording.findings
    expect(findingSchema.parse(finding).exchanges).toEqual([...new Set(finding?.exchanges)].sort((a, b) => a - b))
  })

  test.each(Object.entries(cases[rule].nearMisses))('does not report: %s', (_, play) => {
    const recording = new RuleRecording(PANEL_ORIGIN)
    play(recording)
    recording.waitAndTick()
    expect(recording.brokenRules).toEqual([])
  })

  test('is found, and its near misses are not, on whatever host keeps the contract', () => {
    const judge = (host: LawfulHost, play: (recording: RuleRecording) => unknown): string[] => {
      const recording = new RuleRecording(PANEL_ORIGIN, (endpoint, response) => {
        // What the cases say of a host's list and limits stays as they say it.
        if (endpoint === 'capabilities.get') return response
        const { status, body } = host.changeResponse(endpoint, response)
        // A reservation that is settled at once needs no confirmation.
        const isOpen = endpoint === 'writing.sessionReserve' && getMember(response.body, 'settled') === false
        return { status, body: isOpen ? { ...(body as object), settled: false } : body }
      })
      play(recording)
      return recording.waitAndTick().brokenRules
    }
    fc.assert(
      fc.property(lawfulHosts, (host) => {
        for (const play of Object.values(cases[rule].breaks)) expect(judge(host, play)).toEqual([rule])
        for (const play of Object.values(cases[rule].nearMisses)) expect(judge(host, play)).toEqual([])
      }),
      { numRuns: DRAWN_HOSTS },
    )
  })

  test('names its place in the contract', () => {
    expect(ruleTable[rule].specReference).toMatch(isAdvice(rule) ? /^left open by spec/ : /^(?:spec|observed)/)
  })
})

test('a missing request is reported within 30 s, and withdrawn if it arrives late', () => {
  const recording = new RuleRecording(RECORDED_ORIGIN)
  recording.sendCommit('A')
  recording.readPage(null, 'c1')
  expect(recording.waitAndTick(20_000).brokenRules).toEqual([])
  expect(recording.waitAndTick(7_500).brokenRules.toSorted()).toEqual(['commit-not-polled', 'paging-stopped'])
  recording.readPage('c1', null)
  recording.poll('A', true)
  expect(recording.waitAndTick().brokenRules).toEqual([])
})

test('rules do not apply to the lab, or to a listing of a place that the user left', () => {
  const lab = new RuleRecording({ kind: 'lab', label: 'probe' })
  lab.readPage(null, null, { limit: 0 })
  lab.sendCommit('A')
  expect(lab.waitAndTick().brokenRules).toEqual([])
  const place = new RuleRecording({ kind: 'place', label: null })
  place.readPage(null, 'c1')
  expect(place.waitAndTick().brokenRules).toEqual([])
})

test('findings have the same ids when the same exchanges are read again', () => {
  const ids = [1, 2].map(() => {
    const recording = new RuleRecording()
    recording.readPage(null, null, { limit: 0 })
    recording.sendCommit('A')
    return recording.waitAndTick().findings.map(({ id }) => id)
  })
  expect(ids[0]).toHaveLength(2)
  expect(ids[0]).toEqual(ids[1])
})
