// Loaded into a browser host before it starts: its clock is ahead by as many milliseconds as the file named by MOVED_CLOCK says.
import { readFileSync } from 'node:fs'

const file = process.env['MOVED_CLOCK'] ?? ''
const { now } = Date
let ahead = 0
Date.now = () => now() + ahead
setInterval(() => {
  try {
    ahead = Number(readFileSync(file, 'utf8'))
  } catch {
    // Nothing was moved yet.
  }
}, 50).unref()
