import { watch } from 'vue'
import { inspectJson } from '../../shared/json/inspect.ts'
import { call } from '../ipc/call.ts'
import { useConnection } from './connection.ts'
import { useResource, type Resource } from './resource.ts'

/** Decoded bytes of a list of files at the most. */
const MOST_BYTES = 4 * 1024 * 1024

/** The paths of the files of a bundle: what the host answers on their route when no path is asked for (observed §7; its shape is not shown). */
export function useBundleFiles(bundleId: () => string): Resource<readonly string[]> {
  const connection = useConnection()
  const resource = useResource(async (signal) => {
    const asked = { endpoint: 'bundles.files', params: { bundleId: bundleId() }, query: {}, maxBytes: MOST_BYTES }
    const { bytes } = await call('bridge.read', asked, { signal })
    const { value } = inspectJson(new Uint8Array(bytes))
    const lists = Array.isArray(value) ? [value] : Object.values(Object(value) as object)
    return lists.map(pathsOf).find((paths) => paths.length > 0) ?? []
  })
  watch(
    () => connection.online && bundleId(),
    (ready) => ready !== false && void resource.reload(),
    { immediate: true },
  )
  return resource
}

/** Paths as texts, or as objects that hold one; of anything else none. */
export function pathsOf(files: unknown): readonly string[] {
  if (!Array.isArray(files)) return []
  return files.flatMap((file: unknown) => {
    if (typeof file === 'string') return [file]
    const object = typeof file === 'object' && file !== null ? file : {}
    const path: unknown = Reflect.get(object, 'path') ?? Reflect.get(object, 'name')
    return typeof path === 'string' ? [path] : []
  })
}
