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

interface UpdaterOptions {
  readonly kind: PackageKind | null
  /** The folder for electron-updater's own settings. The folder may not exist before the call. */
  readonly folder: () => string
  /** Signer that updates must have on Windows; empty if this copy itself is unsigned. */
  readonly publisher: string
  /** Loads electron-updater only when it is needed, so that the start is not delayed. */
  readonly load: () => Promise<Library>
  /** Tests replace this function, so that they need no electron-updater. */
  readonly createLibraryUpdater?: (library: Library, kind: PackageKind | null) => AppUpdater
}

/**
 * Creates an updater with electron-updater that neither downloads nor installs automatically and
 * accepts no older version. Its files have plain names, because the library passes their paths to a
 * shell. Each download is compared with the checksum in the feed.
 */
export function createUpdater({
  kind,
  folder,
  publisher,
  load,
  createLibraryUpdater = createUpdaterForKind,
}: UpdaterOptions): Updater {
  let current: AppUpdater | null = null

  async function prepareUpdater(feed: string): Promise<AppUpdater> {
    const updater = createLibraryUpdater(await load(), kind)
    refuseUnsafeRequests(updater)
    updater.logger = null
    updater.autoDownload = false
    updater.autoInstallOnAppQuit = false
    updater.allowDowngrade = false
    updater.disableWebInstaller = true
    updater.disableDifferentialDownload = true
    updater.forceDevUpdateConfig = true
    // JSON is also valid YAML, which the library reads.
    const file = path.join(folder(), 'updater.yml')
    writeFileSync(
      file,
      JSON.stringify({ updaterCacheDirName: 'bridge-inspector-updater', ...getSignatureConfig(publisher) }),
    )
    updater.updateConfigPath = file
    updater.setFeedURL({ provider: 'generic', url: feed })
    // Each failure is also thrown; without this listener, `error` would throw again.
    updater.on('error', () => undefined)
    return updater
  }

  function requireCurrent(): AppUpdater {
    if (current === null) throw createRefusedError('UPDATE_NONE', 'There is no update to continue with.')
    return current
  }

  return {
    canInstall: kind !== null,
    async check(feed) {
      try {
        // A new updater for each check: one with a cancelled check returns that one again.
        const updater = await prepareUpdater(feed)
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
      const updater = requireCurrent()
      const { CancellationToken } = await load()
      const token = new CancellationToken()
      const cancel = (): void => token.cancel()
      const onProgress = ({ transferred, total }: { transferred: number; total: number }): void =>
        progress(transferred, total)
      signal.addEventListener('abort', cancel)
      updater.on('download-progress', onProgress)
      try {
        await updater.downloadUpdate(token)
      } catch (error) {
        throw toUpdateError(error)
      } finally {
        updater.off('download-progress', onProgress)
        signal.removeEventListener('abort', cancel)
      }
    },
    async install() {
      const updater = requireCurrent()
      let failure: AppError | null = null
      const onError = (error: Error): void => void (failure = toUpdateError(error))
      updater.on('error', onError)
      updater.quitAndInstall(false, true)
      updater.off('error', onError)
      if (failure !== null) throw failure
    },
  }
}

interface Executor {
  createRequest(options: { protocol?: string | null; hostname?: string | null }, callback: unknown): unknown
}

/** Takes the place of a refused request and fails when the library sends it. */
class RefusedRequest extends EventEmitter {
  end(): void {
    queueMicrotask(() => this.emit('error', createAddressRefusedError()))
  }

  abort(): void {
    this.removeAllListeners()
  }
}

/**
 * Refuses every request to an unsafe address, also after a redirect. For an unknown scheme
 * (`file:`), Electron's network code throws an error that the library does not catch, so the update
 * would never end.
 */
function refuseUnsafeRequests(updater: AppUpdater): void {
  const { httpExecutor } = updater as unknown as { httpExecutor: Executor }
  const createRequest = httpExecutor.createRequest.bind(httpExecutor)
  httpExecutor.createRequest = (options, callback) =>
    isSafeUpdateUrl(`${options.protocol ?? 'https:'}//${options.hostname ?? ''}`)
      ? createRequest(options, callback)
      : new RefusedRequest()
}

const getSignatureConfig = (publisher: string): { publisherName?: string[] } =>
  publisher === '' ? {} : { publisherName: [publisher] }

function createUpdaterForKind(library: Library, kind: PackageKind | null): AppUpdater {
  const { AppImageUpdater, DebUpdater, RpmUpdater, NsisUpdater, MacUpdater } = library
  if (kind === 'deb') return new DebUpdater()
  if (kind === 'rpm') return new RpmUpdater()
  if (kind === 'nsis' || (kind === null && process.platform === 'win32')) return new NsisUpdater()
  if (kind === 'mac' || (kind === null && process.platform === 'darwin')) return new MacUpdater()
  return new AppImageUpdater()
}
