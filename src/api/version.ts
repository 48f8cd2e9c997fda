/** The API version that clients expect. The version of the program is in package.json. */
export const API_VERSION = 'Development'
