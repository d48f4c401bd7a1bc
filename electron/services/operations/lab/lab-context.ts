import { findWritingSurface } from '../../../../shared/bridge/writing-surface.ts'
import { getEndpoint, type JsonEndpointId, type ResponseOf } from '../../../../shared/bridge/endpoints/index.ts'
import { getMember } from '../../../../shared/json/object.ts'
import { readResponse } from '../../../../shared/bridge/response-reading.ts'
import { listCommentChoices } from '../../../../shared/cards.ts'
import { AppError } from '../../../../shared/errors.ts'
import type { LabProbe, LabSkipReason, LabTarget } from '../../../../shared/ipc/lab.ts'
import type { Connection } from '../../bridge/connection/connection.ts'
import type { BridgeClient } from '../../bridge/types.ts'

/** What a probe works on: named by the user, or by the host. */
export interface LabContext {
  readonly topicid: string
  readonly noteid: string
  /** The card's title as it was read: the probe sends back the title that the card already has. */
  readonly title: string
  /** The canvas that the host writes on; empty for probes that need none. */
  readonly surfaceId: string
  /** A comment of the card; empty for probes that need none. */
  readonly commentId: string
  /** The card's `commentsRevision` as it was read. */
  readonly revision: string | number
  /** Another study set of the library; empty for probes that need none. */
  readonly otherStudySetId: string
  /** On the demo host, the requested height makes it give a reason. */
  readonly isDemo: boolean
}

type Need = 'surface' | 'comment' | 'other-set' | 'no-selection'
const needs: Readonly<Record<LabProbe, readonly Need[]>> = {
  'same-request-id-again': ['surface'],
  'same-id-other-target': ['surface'],
  'second-unfinished-commit': ['surface'],
  'stale-expected-revision': ['comment'],
  'wrong-study-set': ['comment', 'other-set'],
  'band-without-selection': ['no-selection'],
  'missing-confirm': [],
}

/** What a probe needs from the host, or what is missing. Nothing is made up, because a host that refuses an invented id proves nothing. */
export async function loadLabContext(
  { client, connection }: { readonly client: BridgeClient; readonly connection: Connection },
  probe: LabProbe,
  named: LabTarget,
): Promise<LabContext | LabSkipReason> {
  const ask = async <Id extends JsonEndpointId>(id: Id, body?: unknown): Promise<ResponseOf<Id> | undefined> => {
    const origin = { kind: 'lab' as const, label: probe }
    const request = { endpoint: getEndpoint(id), origin, ...(body === undefined ? {} : { body }) }
    return readResponse(id, (await client.requestJson(connection.target(), request)).value).value
  }
  /** For values that the user could name instead: a host without the route just does not supply them. */
  const askSoftly = async <Id extends JsonEndpointId>(id: Id): Promise<ResponseOf<Id> | undefined> =>
    ask(id).catch((error: unknown) => {
      if (error instanceof AppError && error.wire.kind !== 'offline') return undefined
      throw error
    })
  const demo = connection.state().profile?.demo === true
  const noteid = named.noteid ?? ((await ask('uiState.get'))?.state?.focusnoteid || null)
  if (noteid === null) return 'no-card'
  const item = (await ask('notes.batchGet', { noteIds: [noteid] }))?.items[0]
  if (!item) return 'no-card'
  const topicid = named.topicid ?? text(item['topicid'])
  if (topicid === '') return 'no-card'
  const wants = (need: Need): boolean => needs[probe].includes(need)

  const surfaceId =
    named.surfaceId ?? (wants('surface') ? findWritingSurface(await askSoftly('writing.context'))?.surfaceId : '')
  if (surfaceId === undefined) return 'no-surface'
  const [comment] = listCommentChoices(item)
  const commentId = named.commentId ?? (wants('comment') ? comment?.id : '')
  if (commentId === undefined) return 'no-comment'
  const sent = item['commentsRevision']
  const revision = typeof sent === 'number' ? sent : text(sent)
  if (wants('comment') && revision === '') return 'no-revision'
  const sets = wants('other-set') ? ((await askSoftly('studySets.list'))?.studySets ?? []) : []
  const otherSet = wants('other-set') ? sets.find((set) => set.topicid !== topicid)?.topicid : ''
  if (otherSet === undefined) return 'no-other-set'
  // If something is selected, the host can make a band, which is no difference; and this must not be tried out on somebody's card.
  if (wants('no-selection') && !demo && hasSelection(await askSoftly('context.get'))) return 'has-selection'
  return {
    topicid,
    noteid,
    title: text(item.title),
    surfaceId,
    commentId,
    revision,
    otherStudySetId: otherSet,
    isDemo: demo,
  }
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '')

function hasSelection(context: unknown): boolean {
  const selected = getMember(context, 'selectedNotes')
  return Array.isArray(selected) && selected.length > 0
}
