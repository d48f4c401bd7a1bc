import type { CallerReport } from '../../shared/panel/caller-report.ts'
import { call } from '../ipc/call.ts'
import { useConnection } from './connection.ts'
import { useResource, type Resource } from './resource.ts'
import { watch } from 'vue'

export interface CallerQuery {
  readonly method: string
  readonly path: string
}

/** Who may call a method and path, asked anew when either or the connection changes; nothing is asked while `question` returns null. */
export function useCallers(question: () => CallerQuery | null): Resource<CallerReport> {
  const connection = useConnection()
  const resource = useResource(async (signal) => {
    const { method, path } = question() ?? { method: 'GET', path: '/' }
    return call('callers.who', { method, path }, { signal })
  })
  watch(
    () => JSON.stringify([question(), connection.epoch, connection.online]),
    () => {
      if (question() === null) resource.reset()
      else void resource.reload()
    },
    { immediate: true },
  )
  return resource
}
