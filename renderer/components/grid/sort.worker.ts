import { sortRows, type SortRequest } from './sort.ts'

self.onmessage = ({ data }: MessageEvent<SortRequest>) => {
  const order = sortRows(data)
  self.postMessage(order, { transfer: [order.buffer] })
}
