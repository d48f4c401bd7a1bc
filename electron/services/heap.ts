import { setFlagsFromString } from 'node:v8'

/**
 * Has a full collection mark in one go instead of bit by bit. Each page of a listing is a megabyte outside the heap, which makes V8 start
 * to mark every few pages, on its helper threads, although there is hardly anything to collect: that costs more than all else the service
 * does for a page. A heap that is larger from the start would help as well, but only the command line can set it, and Electron's main
 * process does not take it from there.
 */
export function preferFullMarkSweep(): void {
  setFlagsFromString('--no-incremental-marking')
}
