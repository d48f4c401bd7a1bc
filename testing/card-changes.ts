import type { IpcCallFunction } from '../electron/core/agent-socket.ts'
import { MAX_CHANGE_ROWS_PER_CALL, type SnapshotChangeRow } from '../shared/ipc/snapshots.ts'
import { findInitiatorPlace } from '../shared/traffic/call-initiator.ts'
import type { RecordedWrite } from '../shared/snapshots/cause.ts'
import type { SnapshotInfo } from '../shared/snapshots/snapshot.ts'
import type * as api from './api.ts'

type ListedChange = Extract<SnapshotChangeRow, { row: 'change' }>

/**
 * Reads all cards of these study sets.
 * @returns reads them again, and finds what has changed since
 */
export async function watchStudySets(
  call: IpcCallFunction,
  topicids: readonly string[],
): Promise<api.PanelSession['changes']> {
  const snapshots: SnapshotInfo[] = []
  for (const topicid of topicids) snapshots.push(await takeWholeSnapshot(call, topicid))
  return async () => {
    if (snapshots.length === 0)
      throw new TypeError('changes() needs the option studySets, with the ids of the study sets that are compared.')
    const changes: api.CardChange[] = []
    for (const before of snapshots) {
      const { topicid, id } = before
      const after = await takeWholeSnapshot(call, topicid)
      for (const row of await listChanges(call, { topicid, before: id, after: after.id }))
        changes.push(await toCardChange(call, topicid, row))
    }
    return changes
  }
}

/** A snapshot that is not whole would hide changes from a test. */
async function takeWholeSnapshot(call: IpcCallFunction, topicid: string): Promise<SnapshotInfo> {
  const info = await call('snapshots.take', { topicid, details: true })
  if (info.gaps.length === 0) return info
  throw new Error(`The cards of the study set ${topicid} were not read as a whole: ${info.gaps.join(', ')}.`)
}

async function listChanges(
  call: IpcCallFunction,
  snapshots: { readonly topicid: string; readonly before: number; readonly after: number },
): Promise<ListedChange[]> {
  const changes: ListedChange[] = []
  for (;;) {
    const range = { offset: changes.length, limit: MAX_CHANGE_ROWS_PER_CALL }
    const { rows, rowCount } = await call('snapshots.compare', { ...snapshots, layout: 'list', ...range })
    changes.push(...rows.filter((row) => row.row === 'change'))
    if (rows.length === 0 || changes.length >= rowCount) return changes
  }
}

async function toCardChange(call: IpcCallFunction, topicid: string, row: ListedChange): Promise<api.CardChange> {
  const { noteid, kinds, members, before, after, cause, unexplained = [] } = row
  const calls: api.ChangingCall[] = []
  for (const write of cause.writes) calls.push(await toChangingCall(call, write))
  const title = (after ?? before)?.title ?? ''
  const { certainty } = cause
  return { topicid, noteid, title, kinds, members, before, after, cause: { certainty, calls, unexplained } }
}

async function toChangingCall(
  call: IpcCallFunction,
  { exchangeId, method, path }: RecordedWrite,
): Promise<api.ChangingCall> {
  const detail = exchangeId === null ? null : await call('traffic.exchange', { id: exchangeId }).catch(() => null)
  const { file, line } = (detail?.initiator && findInitiatorPlace(detail.initiator)) ?? { file: null, line: null }
  return { exchangeId, method, path, file, line }
}
