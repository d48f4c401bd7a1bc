import { watch } from 'vue'
import { inspectJson } from '../../shared/json/inspect.ts'
import { call } from '../ipc/call.ts'
import { useConnection } from './connection.ts'
import { useResource, type Resource } from './resource.ts'

/** Maximum decoded size of a file list. */
const MOST_BYTES = 4 * 1024 * 1024

/** The file paths of a bundle: what the host returns on the files route without a path (observed §7; its shape is not documented). */
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

/** Accepts paths as strings, or as objects that hold one; ignores anything else. */
export function pathsOf(files: unknown): readonly string[] {
  if (!Array.isArray(files)) return []
  return files.flatMap((file: unknown) => {
    if (typeof file === 'string') return [file]
    const object = typeof file === 'object' && file !== null ? file : {}
    const path: unknown = Reflect.get(object, 'path') ?? Reflect.get(object, 'name')
    return typeof path === 'string' ? [path] : []
  })
}
