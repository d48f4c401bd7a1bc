import type { DemoHost } from '../../../electron/demo-host/server.ts'
import type { CommandDraft } from '../../../shared/operations/prepared-write.ts'
import type { Random } from './random.ts'

/**
 * The nth command of a run: each names its own card or request id, by which it is found in the
 * host's log.
 */
export function buildCommand(n: number, host: DemoHost, { pick, nextInt }: Random): CommandDraft {
  const { generatedSet: generated } = host.state
  const noteid = generated.getNoteid(n)
  const requestId = `r-${n}`
  const buildPlainDraft = (endpoint: string, params: Record<string, string>, body: object): CommandDraft => ({
    endpoint,
    params,
    query: {},
    body,
  })
  const kind = pick([
    ['title', 0.35],
    ['bands', 0.1],
    ['hashtags', 0.1],
    ['commit', 0.3],
    ['session', 0.15],
  ])
  switch (kind) {
    case 'bands':
      return buildPlainDraft('notes.blankBands', { noteid }, { role: 'practice', height: 100 + nextInt(200) })
    case 'hashtags':
      return buildPlainDraft('notes.hashtags', {}, { noteIds: [noteid], operation: 'add', hashtags: [`#run/${n}`] })
    case 'commit': {
      // Few surfaces, so that some commits meet an unfinished one in their window.
      const target = { topicid: generated.topicid, noteid, layerId: '' }
      return buildPlainDraft('writing.pencilCommit', {}, { surfaceId: `surface-${nextInt(40)}`, requestId, target })
    }
    case 'session':
      return buildPlainDraft(
        'writing.sessionReserve',
        {},
        { requestId, runId: 'run', questionId: noteid, carrier: 'focus' },
      )
    default:
      return buildPlainDraft('notes.title', { noteid }, { text: `Title ${n}` })
  }
}

/** What identifies a write, in a record as in the host's log. */
export function identityOf(path: string, body: string | null): string {
  const parsed = JSON.parse(body ?? '{}') as { requestId?: string; noteIds?: string[] }
  return parsed.requestId ?? `${path.replace(/^\/bridge\/v1/, '')} ${parsed.noteIds?.join() ?? ''}`
}
