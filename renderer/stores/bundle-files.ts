import type { BinaryEndpointId } from '../../shared/bridge/endpoints/index.ts'
import { watch } from 'vue'
import { parseBundleFilePaths } from '../model/responses/bundle-files.ts'
import { inspectJson } from '../../shared/json/inspection.ts'
import { call } from '../ipc/call.ts'
import { useConnection } from './connection.ts'
import { createUnknownShapeError } from './host-read.ts'
import { useResource, type Resource } from './resource.ts'

/** A file list with more bytes, counted after decompression, is not read. */
const MAX_BYTES = 4 * 1024 * 1024

/**
 * Reads the file paths of a bundle from the response of the files route without a path (observed
 * §7). The contract does not show the shape of the response; one that is not known is an error.
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
      const { meta, bytes } = await call('bridge.read', { ...getRead(), maxBytes: MAX_BYTES }, { signal })
      const paths = parseBundleFilePaths(inspectJson(new Uint8Array(bytes)).value)
      if (paths === null) throw createUnknownShapeError(meta, bytes)
      return paths
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
