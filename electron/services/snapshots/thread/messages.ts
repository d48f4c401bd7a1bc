import type { IpcInput, IpcOutput, IpcPayload } from '../../../../shared/ipc/index.ts'
import type { SnapshotGap, SnapshotInfo } from '../../../../shared/snapshots/snapshot.ts'
import type { NewNotice } from '../../notices.ts'
import type { EntryPlace } from '../../../recording-file/zip-reader.ts'
import type { ObservedPage } from '../listing-collector.ts'
import type { AddedResponse } from '../taken-listing.ts'
import type { HostWrite } from '../snapshot-table.ts'
import type { SnapshotBounds } from '../snapshot-store.ts'
import type { ThreadReply } from '../../../system/thread-questions.ts'

export interface SnapshotThreadData {
  /** Null if nothing is stored on disk. */
  readonly dataDir: string | null
}

/** What the thread is asked, with the type of its answer. */
export interface SnapshotQuestions {
  list: (topicid: string | undefined) => IpcOutput<'snapshots.list'>
  compare: (input: IpcInput<'snapshots.compare'>) => IpcOutput<'snapshots.compare'>
  marks: (input: IpcInput<'snapshots.marks'>) => IpcOutput<'snapshots.marks'>
  ghosts: (input: IpcInput<'snapshots.ghosts'>) => IpcOutput<'snapshots.ghosts'>
  forecast: (input: IpcInput<'snapshots.forecast'>) => IpcOutput<'snapshots.forecast'>
  /** The ids of the cards from `offset`, of a listing that the user asked for and that was read. */
  listTaken: (caller: string, offset: number, limit: number) => string[]
  listTakenDocuments: (caller: string) => readonly string[]
  /**
   * Stores what was read for this caller. Null if none of its pages could be read.
   * @param gap why a listing ends that has not been read to its end
   */
  endTake: (caller: string, gap: SnapshotGap) => SnapshotInfo | null
  read: (input: IpcInput<'snapshots.read'>) => IpcOutput<'snapshots.read'>
  clear: (topicid: string | undefined) => number
  close: () => null
}

/** A message to the thread. */
export type SnapshotOrder =
  /** The bytes may hold the token, and are masked before anything else. */
  | {
      readonly kind: 'page'
      readonly page: ObservedPage & { readonly bytes: Uint8Array<ArrayBuffer> }
      /** Where the bytes are in an open recording, if not in the page. */
      readonly place?: EntryPlace | undefined
      readonly token: string | null
      readonly isRequested: boolean
    }
  /** More about the cards of a listing that the user asked for. */
  | {
      readonly kind: 'addition'
      readonly caller: string
      readonly response: AddedResponse
      readonly token: string | null
    }
  | { readonly kind: 'write'; readonly write: HostWrite }
  | { readonly kind: 'know'; readonly tokens: readonly string[] }
  | { readonly kind: 'bound'; readonly bounds: SnapshotBounds }
  | {
      readonly kind: 'ask'
      readonly id: number
      readonly question: keyof SnapshotQuestions
      readonly input: readonly unknown[]
    }

/** A message from the thread. */
export type SnapshotReport =
  | { readonly kind: 'noticed'; readonly notices: readonly NewNotice[] }
  | { readonly kind: 'changed'; readonly topicid: string | null }
  | { readonly kind: 'progress'; readonly progress: IpcPayload<'snapshots.progress'> }
  /** The number of bytes of a page whose memory is free again. */
  | { readonly kind: 'freed'; readonly bytes: number }
  | ThreadReply
