import type { FindingRuleId } from '../../../shared/protocol/finding.ts'
import type { StepOptions, RuleRecording } from '../../support/services/rule-recording.ts'

type Play = (recording: RuleRecording) => unknown
/** What breaks a rule, and what comes near to it. */
export interface RuleCases {
  readonly breaks: Readonly<Record<string, Play>>
  readonly nearMisses: Readonly<Record<string, Play>>
}

const noNote = { status: 404, code: 'NOTE_NOT_FOUND', response: {} }
const session = (r: RuleRecording, command: string, id = 'A', says: object = {}, run = 'R'): number => {
  const ack = {
    requestId: id,
    runId: run,
    attemptId: 'attempt-1',
    state: 'accepted',
    outcome: 'pending',
    settled: false,
  }
  return r.post(`/writing/${command}`, { requestId: id, runId: run }, { response: { ...ack, ...says } })
}
/** Cards read one by one, with so much time between an answer and the next request. */
const singles = (r: RuleRecording, n: number, options: StepOptions = {}, pause = 5): void => {
  for (let i = 0; i < n; i += 1) {
    r.post('/notes/batch-get', { noteIds: [`N-${i}`] }, options)
    r.wait(pause)
  }
}

/** The rules about programs that somebody writes: panels and recorded clients. */
export const programRules = {
  'session-not-confirmed': {
    breaks: {
      'accepted, and that was that': (r) => session(r, 'session-reserve'),
      'something else is read': (r) => [session(r, 'session-reserve'), r.get('/study-sets/T-1/note-palette')],
      'another session command follows': (r) => [session(r, 'session-reserve'), session(r, 'session-pause', 'B')],
    },
    nearMisses: {
      'commands of which §4 asks for no confirmation': (r) => [
        session(r, 'session-focus-begin'),
        session(r, 'session-pause', 'B'),
      ],
      'the context is read': (r) => [session(r, 'session-reserve'), r.wait(400).get('/writing/context')],
      'an answer names the attempt': (r) => [
        session(r, 'session-reserve'),
        r.wait(400).get('/practice-sessions/x', { response: { attempt: 'attempt-1' } }),
      ],
      'an answer that is not known': (r) => [
        session(r, 'session-reserve'),
        r.get('/practice', { response: undefined }),
      ],
      'asked again with the same id': (r) =>
        [session(r, 'session-reserve'), r.wait(400), session(r, 'session-reserve')].flat(),
      'settled at once': (r) => session(r, 'session-reserve', 'A', { settled: true }),
      'says nothing of it': (r) => session(r, 'session-reserve', 'A', { settled: undefined }),
      refused: (r) =>
        r.post('/writing/session-reserve', { requestId: 'A', runId: 'R' }, r.buildRefusal(409, 'NO_SESSION')),
      'the host restarted': (r) => [session(r, 'session-reserve'), r.get('/ui-state', { instance: 'run-2' })],
      'a gap in the recording': (r) => [session(r, 'session-reserve'), r.rules.markRecordingGap(r.timestamp)],
    },
  },
  'batch-of-one': {
    breaks: {
      'twelve in a row': (r) => singles(r, 12),
      'all at once': (r) => {
        singles(r, 12, { durationMs: 300 }, -299)
      },
    },
    nearMisses: {
      nine: (r) => singles(r, 9),
      'each right before a write to it': (r) =>
        Array.from({ length: 20 }, (_, i) => [
          r.post('/notes/batch-get', { noteIds: [`N-${i}`] }),
          r.post(`/notes/N-${i}/title`, { text: 'x' }),
        ]),
      'as one list': (r) => r.post('/notes/batch-get', { noteIds: Array.from({ length: 12 }, (_, i) => `N-${i}`) }),
      'as somebody goes through them': (r) => singles(r, 30, {}, 400),
      'the same one': (r) => [1, 2, 3, 4].map(() => r.post('/notes/batch-get', { noteIds: ['N-1'] })),
      'what they hold is read each by itself': (r) =>
        Array.from({ length: 20 }, (_, i) => r.get(`/notes/N-${i}/content/C`)),
      'the request is not known': (r) => singles(r, 12, { body: undefined, isBodyKnown: false }),
    },
  },
  'unknown-route': {
    breaks: {
      'a typo, refused by the allow-list': (r) =>
        r.post('/notes/batch-gte', {}, r.buildRefusal(403, 'IN_PROCESS_NOT_ALLOWED')),
      'a typo, not found': (r) => r.get('/study-sets/T-1/note-pallete', r.buildRefusal(404, 'NOT_FOUND')),
      'another method': (r) => r.get('/notes/batch-get', r.buildRefusal(405, 'METHOD_NOT_ALLOWED')),
      'nothing like it, and not listed': (r) => [
        r.get('/capabilities', { response: { routes: [{ method: 'GET', path: '/status' }] } }),
        r.get('/flashcards/today', r.buildRefusal(404, 'NOT_FOUND')),
      ],
      'nothing like it, and not listed in another shape': (r) => [
        r.get('/capabilities', { response: { api: ['GET /ui-state', 'POST /notes/batch-get', '/status'] } }),
        r.get('/flashcards/today', r.buildRefusal(404, 'NOT_FOUND')),
      ],
    },
    nearMisses: {
      'a card that is gone': (r) => r.get('/notes/N-1/render', noNote),
      'nothing like it, and nobody knows what is listed': (r) =>
        r.get('/flashcards/today', r.buildRefusal(404, 'NOT_FOUND')),
      'listed by the host': (r) => [
        r.get('/capabilities', { response: { routes: [{ method: 'GET', path: '/bridge/v1/notes/:id/rendre' }] } }),
        r.get('/notes/N-1/rendre', r.buildRefusal(404, 'NOT_FOUND')),
      ],
      'listed by the host as OpenAPI does': (r) => [
        r.get('/capabilities', { response: { paths: { '/ui-state': {}, '/status': {}, '/notes/{id}/rendre': {} } } }),
        r.get('/notes/N-1/rendre', r.buildRefusal(404, 'NOT_FOUND')),
      ],
      'named beside a link, which is no list': (r) => [
        r.get('/capabilities', { response: { links: { guide: '/guide' } } }),
        r.get('/flashcards/today', r.buildRefusal(404, 'NOT_FOUND')),
      ],
      'about an id': (r) => [
        r.get('/capabilities', { response: { routes: [{ method: 'GET', path: '/status' }] } }),
        r.get('/flashcards/N-1', noNote),
      ],
      'the host is busy': (r) => r.get('/study-sets/T-1/note-pallete', r.buildRefusal(503, 'BUSY')),
    },
  },
} satisfies Partial<Record<FindingRuleId, RuleCases>>
