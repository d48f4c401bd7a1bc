import { defineStore } from 'pinia'
import { shallowReactive } from 'vue'
import type { LabProbe, LabRun, LabTarget } from '../../../shared/ipc/lab.ts'
import { useConnection } from '../../stores/connection.ts'

/** The results of each probe by host and target, kept for as long as the page lives, so that they survive a look at a record. */
export const useLabRuns = defineStore('lab', () => {
  const connection = useConnection()
  const runs = shallowReactive(new Map<string, LabRun>())
  const keyOf = (probe: LabProbe, { noteid, topicid, surfaceId, commentId }: LabTarget): string =>
    JSON.stringify([connection.state.profile?.id, connection.epoch, probe, noteid, topicid, surfaceId, commentId])

  return {
    getRun: (probe: LabProbe, target: LabTarget): LabRun | null => runs.get(keyOf(probe, target)) ?? null,
    storeRun(probe: LabProbe, target: LabTarget, run: LabRun | null): void {
      if (run === null) runs.delete(keyOf(probe, target))
      else runs.set(keyOf(probe, target), run)
    },
  }
})
