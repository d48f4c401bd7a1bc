import { EventEmitter } from 'node:events'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import type * as library from 'electron-updater'
import type { AppUpdater } from 'electron-updater'
import { type AppError, createRefusedError } from '../../shared/errors.ts'
import { isSafeUpdateUrl } from '../../shared/ipc/updates.ts'
import type { Updater } from '../services/updates/updater.ts'
import { createAddressRefusedError, toUpdateError, parseRelease } from './update-release.ts'
import type { PackageKind } from './package-kind.ts'

type Library = Pick<
  typeof library,
  'AppImageUpdater' | 'DebUpdater' | 'RpmUpdater' | 'NsisUpdater' | 'MacUpdater' | 'CancellationToken'
>

interface Options {
  readonly kind: PackageKind | null
  /** Where the library reads its own settings; a function, because the folder may not be there yet. */
  readonly folder: () => string
  /** Whose signature an update must bear, on Windows; empty if this copy itself has none. */
  readonly publisher: string
  /** Loads the library: only when it is needed, because a start should not wait for it. */
  readonly load: () => Promise<Library>
  /** Makes one of its updaters; tests give it another Electron. */
  readonly make?: (library: Library, kind: PackageKind | null) => AppUpdater
}

/**
 * electron-updater, tamed: it downloads nothing and installs nothing by itself, takes no older version, and its files have plain names,
 * because it hands their paths to a shell. It compares each download with the checksum in the feed.
 */
export function createUpdater({ kind, folder, publisher, load, make = updaterFor }: Options): Updater {
  let current: AppUpdater | null = null

  async function begin(feed: string): Promise<AppUpdater> {
    const updater = make(await load(), kind)
    refuseUnsafe(updater)
    updater.logger = null
    updater.autoDownload = false
    updater.autoInstallOnAppQuit = false
    updater.allowDowngrade = false
    updater.disableWebInstaller = true
    updater.disableDifferentialDownload = true
    updater.forceDevUpdateConfig = true
    // JSON is YAML.
    const file = path.join(folder(), 'updater.yml')
    writeFileSync(file, JSON.stringify({ updaterCacheDirName: 'bridge-inspector-updater', ...signedBy(publisher) }))
    updater.updateConfigPath = file
    updater.setFeedURL({ provider: 'generic', url: feed })
    // Each failure is also thrown; without a listener the event would be thrown once more.
    updater.on('error', () => undefined)
    return updater
  }

  function started(): AppUpdater {
    if (current === null) throw createRefusedError('UPDATE_NONE', 'There is no update to continue with.')
    return current
  }

  return {
    canInstall: kind !== null,
    async check(feed) {
      try {
        // A new one each time: it would answer with a check that was cancelled, but still runs.
        const updater = await begin(feed)
        const result = await updater.checkForUpdates()
        if (!result?.isUpdateAvailable) return null
        const release = parseRelease(result.updateInfo)
        current = updater
        return release
      } catch (error) {
        throw toUpdateError(error)
      }
    },
    async download(progress, signal) {
      const updater = started()
      const { CancellationToken } = await load()
      const token = new CancellationToken()
      const cancel = (): void => token.cancel()
      const tell = ({ transferred, total }: { transferred: number; total: number }): void =>
        progress(transferred, total)
      signal.addEventListener('abort', cancel)
      updater.on('download-progress', tell)
      try {
        await updater.downloadUpdate(token)
      } catch (error) {
        throw toUpdateError(error)
      } finally {
        updater.off('download-progress', tell)
        signal.removeEventListener('abort', cancel)
      }
    },
    async install() {
      const updater = started()
      let failure: AppError | null = null
      const fail = (error: Error): void => void (failure = toUpdateError(error))
      updater.on('error', fail)
      updater.quitAndInstall(false, true)
      updater.off('error', fail)
      if (failure !== null) throw failure
    },
  }
}

interface Executor {
  createRequest(options: { protocol?: string | null; hostname?: string | null }, callback: unknown): unknown
}

/** Stands for a request that is not made: fails as soon as it would be sent. */
class RefusedRequest extends EventEmitter {
  end(): void {
    queueMicrotask(() => this.emit('error', createAddressRefusedError()))
  }

  abort(): void {
    this.removeAllListeners()
  }
}

/**
 * Refuses every request, also one that follows a redirect, to an address that may not be asked. Electron's network throws for a scheme that
 * it does not have (`file:`), where nobody catches it: the update would never end.
 */
function refuseUnsafe(updater: AppUpdater): void {
  const { httpExecutor } = updater as unknown as { httpExecutor: Executor }
  const create = httpExecutor.createRequest.bind(httpExecutor)
  httpExecutor.createRequest = (options, callback) =>
    isSafeUpdateUrl(`${options.protocol ?? 'https:'}//${options.hostname ?? ''}`)
      ? create(options, callback)
      : new RefusedRequest()
}

const signedBy = (publisher: string): { publisherName?: string[] } =>
  publisher === '' ? {} : { publisherName: [publisher] }

function updaterFor(library: Library, kind: PackageKind | null): AppUpdater {
  const { AppImageUpdater, DebUpdater, RpmUpdater, NsisUpdater, MacUpdater } = library
  if (kind === 'deb') return new DebUpdater()
  if (kind === 'rpm') return new RpmUpdater()
  if (kind === 'nsis' || (kind === null && process.platform === 'win32')) return new NsisUpdater()
  if (kind === 'mac' || (kind === null && process.platform === 'darwin')) return new MacUpdater()
  return new AppImageUpdater()
}
