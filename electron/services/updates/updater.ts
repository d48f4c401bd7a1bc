import type { UpdateRelease } from '../../../shared/ipc/updates.ts'

/** Finds and installs updates by means of Electron. Every method throws `AppError`. */
export interface Updater {
  /** This copy can be replaced. Otherwise newer versions are only announced. */
  readonly canInstall: boolean
  /** Asks the feed for a newer release; null if there is none. */
  check(feed: string): Promise<UpdateRelease | null>
  /** Downloads the release of the last check. Rejects if its checksum differs, or on abort. */
  download(progress: (received: number, total: number) => void, signal: AbortSignal): Promise<void>
  /** Starts the installer; the program ends soon after. */
  install(): Promise<void>
}
