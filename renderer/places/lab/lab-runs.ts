import { defineStore } from '../../stores/define-store.ts'
import { shallowReactive } from 'vue'
import type { LabProbe, LabRun, LabTarget } from '../../../shared/ipc/lab.ts'
import { useConnection } from '../../stores/connection.ts'

/** Results by host and target survive visits to other places, until the page is reloaded. */
export const useLabRuns = defineStore('lab', () => {
  const connection = useConnection()
  const runs = shallowReactive(new Map<string, LabRun>())
  const getKey = (probe: LabProbe, { noteid, topicid, surfaceId, commentId }: LabTarget): string =>
    JSON.stringify([connection.state.profile?.id, connection.epoch, probe, noteid, topicid, surfaceId, commentId])

  return {
    getRun: (probe: LabProbe, target: LabTarget): LabRun | null => runs.get(getKey(probe, target)) ?? null,
    storeRun(probe: LabProbe, target: LabTarget, run: LabRun | null): void {
      if (run === null) runs.delete(getKey(probe, target))
      else runs.set(getKey(probe, target), run)
    },
  }
})
