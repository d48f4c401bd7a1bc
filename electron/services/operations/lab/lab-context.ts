import { findWritingSurface } from '../../../../shared/bridge/writing-surface.ts'
import { isRouteListed } from '../../../../shared/bridge/capabilities.ts'
import {
  getEndpoint,
  type EndpointId,
  type JsonEndpointId,
  type ResponseOf,
} from '../../../../shared/bridge/endpoints/index.ts'
import { getMember } from '../../../../shared/json/object.ts'
import { readResponse } from '../../../../shared/bridge/response-reading.ts'
import { listCommentChoices } from '../../../../shared/cards.ts'
import { AppError } from '../../../../shared/errors.ts'
import type { LabProbe, LabSkipReason, LabTarget } from '../../../../shared/ipc/lab.ts'
import type { Connection } from '../../bridge/connection/connection.ts'
import type { BridgeClient } from '../../bridge/types.ts'
import { getConnectedHost } from '../../bridge/connection/connected-host.ts'

/** The objects that a probe works on, named by the user or read from the host. */
export interface LabContext {
  readonly topicid: string
  readonly noteid: string
  /** Title as read. The probe sends it back, so that nothing changes. */
  readonly title: string
  /** The canvas that the host writes on; empty for probes that need none. */
  readonly surfaceId: string
  /** A comment of the card; empty for probes that need none. */
  readonly commentId: string
  /** The card's `commentsRevision` as it was read. */
  readonly revision: string | number
  /** Another study set of the library; empty for probes that need none. */
  readonly otherStudySetId: string
  /** On the demo host, the height that the probe requests is refused with a reason. */
  readonly isDemo: boolean
}

type Need = 'surface' | 'comment' | 'other-set' | 'no-selection' | 'title'
const PROBE_NEEDS: Readonly<Record<LabProbe, readonly Need[]>> = {
  'same-request-id-again': ['surface'],
  'same-id-other-target': ['surface'],
  'second-unfinished-commit': ['surface'],
  'stale-expected-revision': ['comment'],
  'wrong-study-set': ['comment', 'other-set'],
  'band-without-selection': ['no-selection'],
  'missing-confirm': ['title'],
}
const COMMIT_ENDPOINTS = ['writing.pencilCommit', 'writing.pencilResult'] as const
/** The endpoints to which a probe writes, and those by which it learns how that ended. */
const PROBE_ENDPOINTS: Readonly<Record<LabProbe, readonly EndpointId[]>> = {
  'same-request-id-again': COMMIT_ENDPOINTS,
  'same-id-other-target': COMMIT_ENDPOINTS,
  'second-unfinished-commit': COMMIT_ENDPOINTS,
  'stale-expected-revision': ['notes.practiceVerdict'],
  'wrong-study-set': ['notes.practiceVerdict'],
  'band-without-selection': ['notes.blankBands'],
  'missing-confirm': ['notes.title'],
}

/** Returns what is missing otherwise: a host that refuses an invented id proves nothing. */
export async function loadLabContext(
  { client, connection }: { readonly client: BridgeClient; readonly connection: Connection },
  probe: LabProbe,
  target: LabTarget,
): Promise<LabContext | LabSkipReason> {
  const host = getConnectedHost(connection)
  const isAskable = (id: EndpointId): boolean => isRouteListed(getEndpoint(id), host) !== false
  if (!PROBE_ENDPOINTS[probe].every(isAskable)) return 'not-listed'
  const request = async <Id extends JsonEndpointId>(id: Id, body?: unknown): Promise<ResponseOf<Id> | undefined> => {
    const origin = { kind: 'lab' as const, label: probe }
    const bridgeRequest = { endpoint: getEndpoint(id), origin, ...(body === undefined ? {} : { body }) }
    return readResponse(id, (await client.requestJson(connection.target(), bridgeRequest)).value).value
  }
  /** The user can name these values if the host does not have the route. */
  const requestOptional = async <Id extends JsonEndpointId>(
    id: Id,
    body?: unknown,
  ): Promise<ResponseOf<Id> | undefined> => {
    if (!isAskable(id)) return undefined
    return request(id, body).catch((error: unknown) => {
      if (error instanceof AppError && error.wire.kind !== 'offline') return undefined
      throw error
    })
  }
  const isDemo = connection.state().profile?.demo === true
  const uiState = target.noteid === null ? await requestOptional('uiState.get') : undefined
  const noteid = target.noteid ?? findOpenCard(uiState)
  if (noteid === undefined) return 'card-not-read'
  if (noteid === null) return 'no-card'
  const item = (await requestOptional('notes.batchGet', { noteIds: [noteid] }))?.items[0]
  if (!item) return 'card-not-read'
  // A commit acts on the focused card in the open study set; a card need not name its study set
  // (spec §4 pencil-commit, batch-get).
  const isCommit = PROBE_ENDPOINTS[probe].includes('writing.pencilCommit')
  const openTopicid = isCommit ? toText(getMember(getMember(uiState, 'state'), 'topicid')) : ''
  const topicid = target.topicid ?? (toText(item['topicid']) || openTopicid)
  if (topicid === '') return 'set-not-read'
  const isNeeded = (need: Need): boolean => PROBE_NEEDS[probe].includes(need)

  const { title } = item
  if (isNeeded('title') && (typeof title !== 'string' || title === '')) return 'title-not-read'
  const surfaceId =
    target.surfaceId ??
    (isNeeded('surface') ? findWritingSurface(await requestOptional('writing.context'))?.surfaceId : '')
  if (surfaceId === undefined) return 'no-surface'
  const [comment] = listCommentChoices(item)
  const commentId = target.commentId ?? (isNeeded('comment') ? comment?.id : '')
  if (commentId === undefined) return 'no-comment'
  const revisionValue = item['commentsRevision']
  const revision = typeof revisionValue === 'number' ? revisionValue : toText(revisionValue)
  if (isNeeded('comment') && revision === '') return 'no-revision'
  const sets = isNeeded('other-set') ? ((await requestOptional('studySets.list'))?.studySets ?? []) : []
  const otherSet = isNeeded('other-set') ? sets.find((set) => set.topicid !== topicid)?.topicid : ''
  if (otherSet === undefined) return 'no-other-set'
  // With a selection, the host can make a band: lawful, but it would change a real card.
  if (isNeeded('no-selection') && !isDemo && hasSelection(await requestOptional('context.get'))) return 'has-selection'
  return {
    topicid,
    noteid,
    title: toText(title),
    surfaceId,
    commentId,
    revision,
    otherStudySetId: otherSet,
    isDemo,
  }
}

/** Returns null if the host says that no card is open; undefined if it does not say. */
function findOpenCard(uiState: unknown): string | null | undefined {
  const noteid = getMember(getMember(uiState, 'state'), 'focusnoteid')
  if (noteid === null || noteid === '') return null
  return typeof noteid === 'string' ? noteid : undefined
}

const toText = (value: unknown): string => (typeof value === 'string' ? value : '')

function hasSelection(context: unknown): boolean {
  const selected = getMember(context, 'selectedNotes')
  return Array.isArray(selected) && selected.length > 0
}
