/** The version of the interface, as the wire has it; that of the program is in package.json. */
export const VERSION = 'Development'
