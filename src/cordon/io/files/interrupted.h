// SPDX-License-Identifier: Apache-2.0
//
// What a killed program leaves behind in a folder, and how the next one deals with it.
//
// A file is written under a hidden name, .cordon-*.tmp, which its writer holds by a lock. Several files that belong together
// are put into place by a journal, .cordon-*.set: once it is durable, so are they, and the set will appear whole. Its last
// file, the head, is what the others speak of (a release; the others are its manifest, run record and row map):
//
//   1. write the journal    from here on the new set will stand, no matter who finishes it
//   2. remove the old head
//   3. rename the others
//   4. rename the head      from here on the new set stands
//   5. remove the journal
//
// So a head is never next to files of another set. Between 2 and 4 there is no head; the next program that writes into the
// folder finishes the set. A hidden file that nobody holds and no journal names is removed.
//
// A running program whose renames fail takes the set back (OldFiles): the files that it replaces have a second, hidden name
// since before the journal. Each new file returns to its hidden name before the old one comes back, the old head comes last,
// and then the journal goes. Killed before the old head is back, the set is complete under hidden names, and the next program
// finishes it; after that the old head is newer than the journal, and the next program removes the set.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cordon/base/result.h"

namespace cordon::engine {

struct Renaming {
  std::string from;  // the hidden file
  std::string to;
};

// Refuses a path with a zero byte: the operating system would see what is before it, another file.
Result<void> CheckPath(const std::string& path);
std::string DirectoryOf(const std::string& path);
// Makes names in a directory durable. One that cannot be opened or synced (some file systems) is let be.
Result<void> SyncDirectory(const std::string& directory);
Error SystemError(int code, const char* doing);

// A new hidden name in a directory; `ending` is "tmp" or "set".
std::string HiddenName(const std::string& directory, std::string_view ending);

// The bytes of a journal for these files, the head last. Paths are made absolute.
std::string JournalOf(const std::vector<Renaming>& set);
// Steps 2 to 4. Files that are in place already are passed over, so it may be repeated.
Result<void> FinishSet(const std::vector<Renaming>& set);

// The files that a set is about to replace, under a second name as long as this lives: a hard link, if the disk has them.
// Only files of this user: nobody else's would be removed after a kill.
class OldFiles {
 public:
  // REQUIRES: the journal of the set is not written yet. A link makes a file look newer, and a head newer than the journal is
  // one that somebody has put there since.
  explicit OldFiles(const std::vector<Renaming>& set);
  ~OldFiles();
  OldFiles(const OldFiles&) = delete;
  OldFiles& operator=(const OldFiles&) = delete;

  // After FinishSet has failed: the new files return to their hidden names, the old ones to theirs. An error if one of them
  // cannot be moved; then the journal must stay. Gives the paths of old files that are lost, for want of a second name.
  Result<std::vector<std::string>> PutBack() const;

 private:
  struct Old {
    Renaming made;       // the new file
    std::string second;  // empty: none
    int held = -1;
    bool was_there = false;
  };
  std::vector<Old> files_;  // the head last
};

// Finishes the sets of a folder whose programs have ended, and removes their hidden files. Only files of this user; what cannot
// be done is left to the next.
void CleanFolder(const std::string& directory);
// The same, the first time that a program asks for a folder.
void CleanFolderOnce(const std::string& directory);

}  // namespace cordon::engine
