import type { FindingRuleId } from '../../../shared/protocol/finding.ts'
import { PANEL_ORIGIN, type RuleRecording } from '../../support/services/rule-recording.ts'
import type { RuleCases } from './program-rules.ts'

export const unknownId = {
  status: 404,
  code: 'OPERATION_NOT_FOUND',
  response: { error: { code: 'OPERATION_NOT_FOUND' } },
}
export const settle = (r: RuleRecording, id: string) => r.wait(500).poll(id, true)

/** The rules about pencil commits. */
export const pencilRules = {
  'commit-not-polled': {
    breaks: {
      'never polled': (r) => r.sendCommit('A'),
      'polled, not to the end': (r) => [r.sendCommit('A'), r.wait(500).poll('A', false), r.wait(500).poll('A', false)],
      'only another is polled': (r) => [r.sendCommit('A'), r.sendCommit('B', { surfaceId: 'S-2' }), settle(r, 'B')],
    },
    nearMisses: {
      settled: (r) => [r.sendCommit('A'), r.wait(500).poll('A', false), settle(r, 'A')],
      refused: (r) => r.sendCommit('A', { status: 403, code: 'MAX_REQUIRED' }),
      'without an answer': (r) => r.sendCommit('A', { state: 'failed', status: null }),
      'the record is lost': (r) => [r.sendCommit('A'), r.wait(500).poll('A', false, unknownId)],
      'the host restarted': (r) => [r.sendCommit('A'), r.get('/ui-state', { instance: 'run-2' })],
      'settled at once': (r) => r.sendCommit('A', { response: { settled: true } }),
      'a gap in the recording': (r) => [r.sendCommit('A'), r.rules.markRecordingGap(r.timestamp)],
      'an answer of another shape': (r) => [r.sendCommit('A'), r.poll('A', false, { response: [1] })],
    },
  },
  'result-of-new-id': {
    breaks: Object.fromEntries(
      [404, 410, 409, 422, 400].map((status): [string, RuleCases['breaks'][string]] => [
        `a new id, refused with ${status}`,
        (r) => [
          r.sendCommit('A'),
          r.poll('B', false, r.buildRefusal(status, status === 410 ? 'GONE' : 'OPERATION_UNKNOWN')),
          settle(r, 'A'),
        ],
      ]),
    ),
    nearMisses: {
      'refused for another reason': (r) => [
        r.sendCommit('A'),
        ...[
          [429, 'TOO_MANY_REQUESTS'],
          [401, 'UNAUTHORIZED'],
          [403, 'MAX_REQUIRED'],
          [503, 'BUSY'],
          [409, 'WINDOW_BUSY'],
        ].map(([status, code]) => r.wait(600).poll('B', false, r.buildRefusal(Number(status), String(code)))),
        settle(r, 'A'),
      ],
      'committed by another panel': (r) => [
        r.sendCommit('B', { origin: { ...PANEL_ORIGIN, caller: 'opening-0' } }),
        r.poll('B', true, { origin: { ...PANEL_ORIGIN, caller: 'opening-0' } }),
        r.sendCommit('A'),
        r.poll('B', false, unknownId),
        settle(r, 'A'),
      ],
      'its own id': (r) => [r.sendCommit('A'), settle(r, 'A')],
      'known to the host': (r) => [r.sendCommit('A'), r.poll('B', true), settle(r, 'A')],
      'no commit of its own': (r) => r.poll('B', false, unknownId),
      'after a gap': (r) => [
        r.rules.markRecordingGap(r.timestamp),
        r.wait(1_000).sendCommit('A'),
        r.poll('B', false, unknownId),
        settle(r, 'A'),
      ],
      'after the result': (r) => [r.sendCommit('A'), settle(r, 'A'), r.poll('B', false, unknownId)],
    },
  },
  'request-id-other-target': {
    breaks: {
      'another card': (r) => [
        r.sendCommit('A'),
        r.sendCommit('A', { noteid: 'N-2', status: 409, code: 'REQUEST_CONFLICT' }),
        settle(r, 'A'),
      ],
    },
    nearMisses: {
      'the same again, which returns the result': (r) => [
        r.sendCommit('A'),
        r.wait(500).sendCommit('A', { response: { requestId: 'A', settled: true, outcome: 'saved' } }),
      ],
      'with the empty layer left out': (r) => [
        r.sendCommit('A'),
        r.post('/writing/pencil-commit', {
          surfaceId: 'S-1',
          requestId: 'A',
          target: { noteid: 'N-1', topicid: 'T-1' },
        }),
        settle(r, 'A'),
      ],
      'the same again': (r) => [r.sendCommit('A'), r.sendCommit('A'), settle(r, 'A')],
      'the first was refused': (r) => [
        r.sendCommit('A', { status: 409, code: 'BUSY' }),
        r.sendCommit('A', { noteid: 'N-2' }),
        settle(r, 'A'),
      ],
      'in a new run': (r) => [
        r.sendCommit('A'),
        r.sendCommit('A', { noteid: 'N-2', instance: 'run-2' }),
        r.poll('A', true, { instance: 'run-2' }),
      ],
    },
  },
  'second-commit-of-window': {
    breaks: Object.fromEntries(
      [
        [409, 'OPERATION_UNFINISHED'],
        [429, 'WINDOW_BUSY'],
        [423, 'LOCKED'],
        [503, 'BUSY'],
        [422, 'TOO_SOON'],
        [400, 'NOT_NOW'],
      ].map(([status, code]): [string, RuleCases['breaks'][string]] => [
        `before the first is settled, refused with ${status} ${code}`,
        (r) => [r.sendCommit('A'), r.sendCommit('B', r.buildRefusal(Number(status), String(code))), settle(r, 'A')],
      ]),
    ),
    nearMisses: {
      'refused for another reason': (r) => [
        r.sendCommit('A'),
        ...[
          [401, 'UNAUTHORIZED'],
          [403, 'MAX_REQUIRED'],
          [404, 'NO_SUCH_SURFACE'],
          [422, 'BAD_PARAMETER'],
          [422, 'CONFIRM_REQUIRED'],
        ].map(([status, code], index) => r.sendCommit(`B${index}`, r.buildRefusal(Number(status), String(code)))),
        settle(r, 'A'),
      ],
      'after the first was repeated, which told that it is settled': (r) => [
        r.sendCommit('A'),
        r.wait(500).sendCommit('A', { response: { requestId: 'A', settled: true } }),
        r.sendCommit('B', r.buildRefusal(409, 'LAYER_CHANGED')),
      ],
      'after it': (r) => [r.sendCommit('A'), settle(r, 'A'), r.sendCommit('B'), settle(r, 'B')],
      'in another window': (r) => [
        r.sendCommit('A'),
        r.sendCommit('B', { surfaceId: 'S-2', status: 409, code: 'OPERATION_UNFINISHED' }),
        settle(r, 'A'),
      ],
      'of somebody else': (r) => [r.sendCommit('B', { status: 409, code: 'OPERATION_UNFINISHED' })],
      'the host takes it': (r) => [r.sendCommit('A'), r.sendCommit('B'), settle(r, 'A'), settle(r, 'B')],
    },
  },
} satisfies Partial<Record<FindingRuleId, RuleCases>>
