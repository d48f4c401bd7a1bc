import type { BinaryEndpointId } from '../../shared/bridge/endpoints/index.ts'
import { watch } from 'vue'
import { parseBundleFilePaths } from '../model/responses/bundle-files.ts'
import { inspectJson } from '../../shared/json/inspection.ts'
import { call } from '../ipc/call.ts'
import { useConnection } from './connection.ts'
import { useResource, type Resource } from './resource.ts'

/** Limit of a file list, decoded. */
const MAX_BYTES = 4 * 1024 * 1024

/**
 * Reads the file paths of a bundle: what the host returns on the files route without a path
 * (observed §7; its shape is not documented).
 */
export function useBundleFiles(bundleId: () => string): Resource<readonly string[]> {
  const connection = useConnection()
  const getRead = () => ({
    endpoint: 'bundles.files' satisfies BinaryEndpointId,
    params: { bundleId: bundleId() },
    query: {},
  })
  const resource = useResource<readonly string[]>(
    async (signal) => {
      const { bytes } = await call('bridge.read', { ...getRead(), maxBytes: MAX_BYTES }, { signal })
      return parseBundleFilePaths(inspectJson(new Uint8Array(bytes)).value)
    },
    undefined,
    { getShownRead: getRead },
  )
  watch(
    () => connection.online && bundleId(),
    (ready) => ready !== false && void resource.reload(),
    { immediate: true },
  )
  return resource
}
