import type { UpdateRelease } from '../../../shared/ipc/updates.ts'

/** What looks for updates and puts them in place: Electron's part of it. All of it throws `AppError`. */
export interface Updater {
  /** Whether this copy can be replaced from here; otherwise newer versions are only told of. */
  readonly canInstall: boolean
  /** Asks the feed; null if it has nothing newer. */
  check(feed: string): Promise<UpdateRelease | null>
  /** Downloads what the last check found. Rejects if its checksum is not the feed's, or if `signal` ends it. */
  download(progress: (received: number, total: number) => void, signal: AbortSignal): Promise<void>
  /** Hands over to the installer; the program ends soon after. */
  install(): Promise<void>
}
