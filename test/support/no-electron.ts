/** Importing `electron` from plain Node would start a download; a test that reaches here is wrong. */
throw new Error('electron must not be imported at run time outside app/electron');
