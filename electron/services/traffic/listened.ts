import type { ExchangeRecorder } from '../bridge/types.ts'

/** A recorder that also tells somebody else of each exchange that has ended. */
export const listened = (recorder: ExchangeRecorder, hear: ExchangeRecorder['ended']): ExchangeRecorder => ({
  mediaBytes: () => recorder.mediaBytes(),
  began: (begun) => recorder.began(begun),
  ended(begun, how) {
    recorder.ended(begun, how)
    hear(begun, how)
  },
})
